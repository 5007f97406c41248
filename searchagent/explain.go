package searchagent

import (
	"context"
	"fmt"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/prompt"
)

// explain finds out why searches found nothing by counting each condition alone. If
// another search may find something, the model writes one, once per task.
func (a *agent) explain(ctx context.Context, s state) (state, error) {
	err := s.each(ctx, explaining, func(ctx context.Context, t task) (task, error) {
		return a.explainTask(ctx, &s, t)
	})
	return s, err
}

func (a *agent) explainTask(ctx context.Context, s *state, t task) (task, error) {
	allowed, err := a.access(ctx)
	if err != nil {
		return t, err
	}
	r, problems := a.check(allowed, s, &t)
	if len(problems) > 0 { // it ran before, so only a changed state gets here
		t.fail(ctx, "no search was found that may run: %s", drafts.Reason(problems))
		return t, nil
	}
	why, hope := a.why(ctx, allowed, r.search)
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if len(why) > 0 {
		t.Why = why
	}
	if hope && !t.Relaxed {
		t.Relaxed, t.Phase = true, drafting
		return t, nil
	}
	t.finish(ctx)
	return t, nil
}

// why returns a line for each condition of a search, with the number of documents that
// match it alone. Conditions without a match come first. hope reports whether another
// search could find anything. Conditions that cannot be counted are left out.
func (a *agent) why(ctx context.Context, allowed *access, search *esquery.Search) (why []string, hope bool) {
	everything, err := allowed.validator.Check(search.Index(), nil).Search()
	if err != nil {
		return nil, false
	}
	visible, err := a.reader.engine.Count(ctx, everything)
	switch {
	case err != nil:
		return nil, true
	case visible == 0:
		return []string{"there are no visible documents in " + search.Index()}, false
	}
	var some []string
	for i, probe := range search.Probes() {
		if i == maxProbes {
			break
		}
		alone, err := a.reader.engine.Count(ctx, probe.Search)
		if err != nil {
			continue
		}
		clause := prompt.Clip(string(probe.Clause), maxClause)
		if alone == 0 {
			why = append(why, clause+" matches no document")
			continue
		}
		line := fmt.Sprintf("%s alone matches %d", clause, alone)
		if probe.Without != nil {
			if others, err := a.reader.engine.Count(ctx, probe.Without); err == nil && others > 0 {
				line += fmt.Sprintf(", and none of the %d that match all other conditions", others)
			}
		}
		some = append(some, line)
	}
	return append(why, some...), len(why)+len(some) > 0
}

const (
	maxProbes = 12
	maxClause = 300
)
