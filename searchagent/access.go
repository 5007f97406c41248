package searchagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
)

// access is what a turn may search. It comes from the turn that is being run, never
// from a state: who asks may have other rights by the time a turn goes on, and a
// store must not be able to give him any.
type access struct {
	validator *esquery.Validator
	owner     string // tells apart who must not share what was looked up
}

type accessKey struct{}

// admit returns a context in which a turn is let search what its filter allows. The
// filter is made once, when a plan or a search first needs it.
func (a *agent) admit(ctx context.Context, turn qed.Turn) context.Context {
	return context.WithValue(ctx, accessKey{}, sync.OnceValues(func() (*access, error) {
		return a.accessOf(ctx, turn)
	}))
}

// access returns what the turn of ctx may search. Where that cannot be told it may
// search nothing.
func (a *agent) access(ctx context.Context) (*access, error) {
	find, ok := ctx.Value(accessKey{}).(func() (*access, error))
	if !ok {
		return nil, fmt.Errorf("searchagent: %w", ErrFilter) // not reached: every turn is admitted
	}
	return find()
}

func (a *agent) accessOf(ctx context.Context, turn qed.Turn) (*access, error) {
	who := []string{turn.User, turn.Tenant}
	if a.opt.Filter == nil {
		return &access{a.validator, owner(who)}, nil
	}
	filter, err := a.opt.Filter(ctx, turn)
	v, err := confined(a.validator, filter, err)
	if err != nil {
		return nil, fmt.Errorf("searchagent: %w", err)
	}
	return &access{v, owner(append(who, string(filter)))}, nil
}

// confined returns v with what a host's filter function returned. Where that is none, or
// one that does not fit, the error matches ErrFilter.
func confined(v *esquery.Validator, filter json.RawMessage, err error) (*esquery.Validator, error) {
	if err == nil && len(bytes.TrimSpace(filter)) == 0 {
		err = errors.New("it is empty; where all documents may be seen, say so with match_all")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: Options.Filter: %w", ErrFilter, err)
	}
	filtered, err := v.Filtered(filter)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFilter, err)
	}
	return filtered, nil
}

// owner joins names so that no two lists of them come to the same.
func owner(names []string) string { return fmt.Sprintf("%q", names) }
