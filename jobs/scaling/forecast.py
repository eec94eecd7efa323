"""From studies to the model: fits it, checks it on runs that it was not shown, and predicts."""
from model import ASSUMPTIONS, COEFFICIENTS, UNITS, Model, Run


def as_run(point, result):
    """The model's view of a measured point."""
    places = result['places'] or point['ranks']
    return Run(point['ranks'], point['seconds'], point['work'], point['edges'], point['vertices'], point.get('parts'),
               point['room'] or 1.0, places, point['imbalance'], point['rounds'], point['messages'], point['bytes'])


def far_runs(result, ranks):
    """What is predicted: strong: the same graph; weak: work, edges and vertices that grow with the ranks."""
    last = max((p for p in result['points']), key=lambda p: (p['ranks'], -(p['room'] or 0)))
    grow = ranks / last['ranks'] if result['study'] == 'weak' else 1
    work, edges, vertices = (last[key] * grow for key in ('work', 'edges', 'vertices'))
    return Run(ranks, None, work, edges, vertices, None, last['room'] or 1.0, ranks)


def fit(results, hold_out):
    measured = [(result['study'], p, as_run(p, result)) for result in results for p in result['points']]
    most = max(run.ranks for _, _, run in measured)
    held = hold_out or (most if len({run.ranks for _, _, run in measured}) > 2 else None)
    shown = [run for _, _, run in measured if run.ranks != held]
    model = Model().fit(shown or [run for _, _, run in measured])
    fitted = []
    for study, point, run in measured:
        fitted.append({'study': study, 'ranks': run.ranks, 'room': point['room'], 'seconds': run.seconds,
                       'model': model.seconds(run), 'error': model.error(run),
                       'held_out': bool(shown) and run.ranks == held})
    return model, fitted


def make(results, options):
    """(what goes into the JSON, the same as text)"""
    model, fitted = fit(results, options.hold_out)
    seen = dict(model.coefficients)
    model.state(options.latency, options.bandwidth)
    predicted = []
    for result in results:
        for ranks in options.predict:
            run = far_runs(result, ranks)
            parts = model.parts_of(run)
            predicted.append({'study': result['study'], 'ranks': ranks, 'seconds': sum(parts.values()), 'terms': parts,
                              'work': run.work, 'edges': run.edges})
    whole = dict(model.as_dict(), measured_coefficients=seen, units=UNITS, fitted=fitted, predicted=predicted,
                 latency=options.latency, bandwidth=options.bandwidth, work_unit=results[0]['work_unit'],
                 assumptions=ASSUMPTIONS)
    return whole, text(whole)


def text(whole):
    lines = ['model, fitted on %d points, held out %d:' % (sum(not p['held_out'] for p in whole['fitted']),
                                                          sum(p['held_out'] for p in whole['fitted']))]
    for name in COEFFICIENTS:
        lines.append('  %-8s %10.3g %s' % (name, whole['coefficients'][name], whole['units'][name]))
    lines += ['', '  %-7s %6s %8s %10s %10s %8s' % ('study', 'ranks', 'outbox', 'measured', 'model', 'error')]
    for p in whole['fitted']:
        lines.append('  %-7s %6d %8s %10.3f %10.3f %+7.1f %%%s' % (
            p['study'], p['ranks'], p['room'] or '-', p['seconds'], p['model'], 100 * p['error'],
            '  held out' if p['held_out'] else ''))
    lines += ['', '  predicted seconds, and by term', '  %-7s %6s %10s' % ('study', 'ranks', 'seconds') +
              ''.join(' %9s' % name for name in COEFFICIENTS)]
    for p in whole['predicted']:
        lines.append('  %-7s %6d %10.3f' % (p['study'], p['ranks'], p['seconds']) +
                     ''.join(' %9.3g' % p['terms'][name] for name in COEFFICIENTS))
    lines += ['', '  assumed:'] + ['  - ' + a for a in whole['assumptions']]
    return '\n'.join(lines) + '\n'
