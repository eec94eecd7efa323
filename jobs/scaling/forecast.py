"""Fits the model to studies, checks it on runs that were not used for the fit, and predicts further runs."""
from model import ASSUMPTIONS, COEFFICIENTS, UNITS, Model, Run

FEWEST = 3  # predictions need at least this many points


def as_run(point, result):
    """Returns a measured point as a Run of the model."""
    places = result['places'] or point['ranks']
    crowded = (min(point['ranks'], places) - 1) / (places - 1) if (result['places'] or 1) > 1 else 0.0
    return Run(point['ranks'], point['seconds'], point['work'], point['edges'], point['vertices'], point.get('parts'),
               point['room'] or 1.0, places, point['imbalance'], point['rounds'], point['messages'], point['bytes'],
               crowded)


def far_run(result, ranks, parts_of_rank):
    """Returns the Run to predict. It has the graph of the largest measured run; with weak scaling the graph grows with the ranks.
    """
    last = max((p for p in result['points']), key=lambda p: (p['ranks'], -(p['room'] or 0)))
    grow = ranks / last['ranks'] if result['study'] == 'weak' else 1
    work, edges, vertices = (last[key] * grow for key in ('work', 'edges', 'vertices'))
    return Run(ranks, None, work, edges, vertices, ranks * parts_of_rank, last['room'] or 1.0, ranks,
               crowded=1.0 if (result['places'] or 1) > 1 else 0.0)


def fit(results, hold_out):
    measured = [(result['study'], p, as_run(p, result)) for result in results for p in result['points']]
    most = max(run.ranks for _, _, run in measured)
    held = hold_out or (most if len({run.ranks for _, _, run in measured}) > 2 else None)
    shown = [run for _, _, run in measured if run.ranks != held]
    shown = shown or [run for _, _, run in measured]
    model = Model().fit(shown)
    others = [Model().fit(shown[:i] + shown[i + 1:]) for i in range(len(shown))] if len(shown) > 3 else []
    fitted = []
    for study, point, run in measured:
        fitted.append({'study': study, 'ranks': run.ranks, 'room': point['room'], 'seconds': run.seconds,
                       'model': model.seconds(run), 'error': model.error(run),
                       'held_out': run.ranks == held})
    return model, others, fitted


def make(results, options):
    """Returns (the content of the JSON file, the same as text)."""
    model, others, fitted = fit(results, options.hold_out)
    seen = dict(model.coefficients)
    for one in [model] + others:
        one.state(options.latency, options.bandwidth)
    predicted, enough = [], sum(not p['held_out'] for p in fitted) >= FEWEST
    for result in results if enough else []:
        for ranks in options.predict:
            run = far_run(result, ranks, options.parts_per_rank)
            parts = model.parts_of(run)
            seconds = sum(parts.values())
            range_ = [seconds] + [one.seconds(run) for one in others]
            predicted.append({'study': result['study'], 'ranks': ranks, 'seconds': seconds, 'low': min(range_),
                              'high': max(range_), 'terms': parts,
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
    if not whole['predicted']:
        return '\n'.join(lines) + ('\n\n  No predictions: they need %d points besides those held out. More --ranks, or '
                                   'strong and weak studies together\n' % FEWEST)
    lines += ['', '  predicted seconds; low and high: of fits that leave out one point each; and by term',
              '  %-7s %6s %10s %10s %10s' % ('study', 'ranks', 'seconds', 'low', 'high') +
              ''.join(' %9s' % name for name in COEFFICIENTS)]
    for p in whole['predicted']:
        lines.append('  %-7s %6d %10.3f %10.3f %10.3f' % (p['study'], p['ranks'], p['seconds'], p['low'], p['high']) +
                     ''.join(' %9.3g' % p['terms'][name] for name in COEFFICIENTS))
    lines += ['', '  assumed:'] + ['  - ' + a for a in whole['assumptions']]
    return '\n'.join(lines) + '\n'
