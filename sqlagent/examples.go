package sqlagent

import (
	"context"
	"errors"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/recall"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/verified"
)

// examples returns the verified questions that are similar to the question, without
// those whose statements the guard refuses now.
func (a *agent) examples(ctx context.Context, question string) ([]verified.Pair, error) {
	if a.opt.Verified == nil {
		return nil, nil
	}
	similar, err := a.opt.Verified.Similar(ctx, qed.Info(ctx).Turn.Tenant, question, maxExamples*candidatesPerExample)
	if err != nil {
		return nil, err
	}
	var shown []verified.Pair
	for _, pair := range similar {
		if len(shown) == maxExamples {
			break
		}
		refused, err := a.allowed(ctx, pair.SQL)
		if err != nil {
			return nil, err
		}
		if refused == nil {
			shown = append(shown, pair)
			continue
		}
		pair.Question = prompt.Clip(pair.Question, maxComment)
		if _, reported := a.refused.LoadOrStore(pair.Question+"\x00"+pair.SQL, true); !reported {
			qed.Emit(ctx, qed.Warning{Code: "example_refused", Message: "the verified question " + prompt.Quote(pair.Question) +
				" is not shown to the model: " + prompt.Clip(refused.Error(), maxReason)})
		}
	}
	return shown, nil
}

// verifiedBy returns the verified question among those of the prompt whose statement ran.
// How alike the questions are proves nothing: the trees of the statements are compared.
func (a *agent) verifiedBy(ctx context.Context, examples []verified.Pair, ran *secureview.Statement) *qed.VerifiedQuestion {
	for _, pair := range examples {
		approved, err := a.guard.Rewrite(ctx, pair.SQL)
		if err != nil {
			continue
		}
		if parameters, ok := pair.Matches(approved, ran); ok {
			q := usedExample(pair)
			q.Parameters = parameters
			return &q
		}
	}
	return nil
}

func usedExample(pair verified.Pair) qed.VerifiedQuestion {
	return qed.VerifiedQuestion{Question: pair.Question, SQL: pair.SQL, By: pair.By, Time: pair.Time}
}

// allowed returns why the guard refuses a statement today, or nil if it does not.
func (a *agent) allowed(ctx context.Context, sql string) (*refusal.Error, error) {
	_, err := a.guard.Rewrite(ctx, sql)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		return refused, nil
	}
	return nil, err
}

// recalledTurns is how many earlier turns of the user a prompt shows.
var recalledTurns = recall.Counts{Similar: 3, Latest: 3}

// known returns what is remembered of the user for a prompt, without the statements
// that the guard refuses now.
func (a *agent) known(ctx context.Context, s state) (string, error) {
	var failed error
	text := s.Known.Text(func(sql string) bool {
		refused, err := a.allowed(ctx, sql)
		failed = errors.Join(failed, err)
		return refused == nil && err == nil
	})
	return text, failed
}

// candidatesPerExample is how many similar questions are checked for one example.
const candidatesPerExample = 4
