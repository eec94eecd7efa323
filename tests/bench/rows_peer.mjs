// Runs statements in DuckDB (@duckdb/node-api) or Kuzu, for rows_peers.py.
//     node rows_peer.mjs duckdb|kuzu DATABASE load FILE       runs the statements of a JSON list
//     node rows_peer.mjs duckdb|kuzu DATABASE run TEXT        prints the rows of a query, separated by tabs
//     node rows_peer.mjs duckdb|kuzu DATABASE warm FILE N     runs each query of a JSON list up to N times; prints the
//                                                             least seconds and processor seconds, or an error, as JSON
// The packages are looked up in the folder GEMP_BENCH_NODE. A query ends after GEMP_BENCH_SECONDS.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

const [kind, path, mode, text, repeat] = process.argv.slice(2)
const need = createRequire((process.env.GEMP_BENCH_NODE ?? '.') + '/package.json')
const limit = Number(process.env.GEMP_BENCH_SECONDS ?? 60)

async function openDuckdb() {
	const { DuckDBInstance } = need('@duckdb/node-api')
	const instance = await DuckDBInstance.create(path, { threads: process.env.GEMP_BENCH_THREADS ?? '2' })
	const connection = await instance.connect()
	return async statement => {
		const timer = setTimeout(() => connection.interrupt(), limit * 1000)
		try {
			return (await connection.runAndReadAll(statement)).getRowsJson()
		} finally {
			clearTimeout(timer)
		}
	}
}

async function openKuzu() {
	const kuzu = need('kuzu')
	const database = new kuzu.Database(path)
	const connection = new kuzu.Connection(database, Number(process.env.GEMP_BENCH_THREADS ?? 2))
	connection.setQueryTimeout(limit * 1000)
	return async statement => {
		const result = await connection.query(statement)
		const names = await result.getColumnNames()
		return (await result.getAll()).map(row => names.map(name => row[name]))
	}
}

async function measured(run, query) {
	let seconds = Infinity, cpu = Infinity, began = performance.now()
	try {
		for (let i = 0; i < Number(repeat) && performance.now() - began < 4000; i++) {
			const start = performance.now(), before = process.cpuUsage()
			await run(query)
			const used = process.cpuUsage(before)
			seconds = Math.min(seconds, (performance.now() - start) / 1000)
			cpu = Math.min(cpu, (used.user + used.system) / 1e6)
		}
		return { seconds, cpu }
	} catch (error) {
		return { error: String(error.message ?? error).split('\n')[0] }
	}
}

const run = await (kind === 'kuzu' ? openKuzu() : openDuckdb())
if (mode === 'run') {
	const rows = await run(text)
	process.stdout.write(rows.map(row => row.map(cell => cell ?? '').join('\t') + '\n').join(''), () => process.exit(0))
} else if (mode === 'load') {
	for (const statement of JSON.parse(readFileSync(text))) await run(statement)
	process.exit(0)
} else {
	const all = []
	for (const query of JSON.parse(readFileSync(text))) all.push(await measured(run, query))
	process.stdout.write(JSON.stringify(all), () => process.exit(0))
}
