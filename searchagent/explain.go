package searchagent

import (
	"context"
	"fmt"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/prompt"
)

// explain finds out why searches found nothing: each condition is counted alone. Where
// another search may find something, the model may write one, once.
func (a *agent) explain(ctx context.Context, s state) (state, error) {
	err := s.each(ctx, explaining, func(ctx context.Context, st step) (step, error) {
		return a.explainStep(ctx, &s, st)
	})
	return s, err
}

func (a *agent) explainStep(ctx context.Context, s *state, st step) (step, error) {
	allowed, err := a.access(ctx)
	if err != nil {
		return st, err
	}
	r, problems := a.check(allowed, s, &st)
	if len(problems) > 0 { // it ran a moment ago: only a state that was changed gets here
		st.fail(ctx, "no search that may run was found: %s", say(problems))
		return st, nil
	}
	why, hope := a.why(ctx, allowed, r.search)
	if ctx.Err() != nil {
		return st, ctx.Err()
	}
	if len(why) > 0 {
		st.Why = why
	}
	if hope && !st.Relaxed {
		st.Relaxed, st.Phase = true, writing
		return st, nil
	}
	st.finish(ctx)
	return st, nil
}

// why says of each condition of a search how many documents meet it alone, those that
// none does first, and whether another search could find anything. What cannot be
// counted is left out.
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
		return []string{"there is no document at all that may be seen in " + search.Index()}, false
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
				line += fmt.Sprintf(", and none of the %d that meet all other conditions", others)
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
