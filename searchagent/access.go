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

// access is what a turn may search. It is computed from the turn that runs and never
// read from a state: the user may have other rights when a turn is resumed, and a
// changed store must not grant any.
type access struct {
	validator *esquery.Validator
	owner     string // callers with different owners do not share lookups
}

type accessKey struct{}

// admit returns a context with the access of the turn. The filter is made once, when
// a plan or a search first needs it.
func (a *agent) admit(ctx context.Context, turn qed.Turn) context.Context {
	return context.WithValue(ctx, accessKey{}, sync.OnceValues(func() (*access, error) {
		return a.accessOf(ctx, turn)
	}))
}

// access returns what the turn of ctx may search. If that is not known, the turn may
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
		return &access{validator: a.validator, owner: owner(who)}, nil
	}
	filter, err := a.opt.Filter(ctx, turn)
	v, err := confined(a.validator, filter, err)
	if err != nil {
		return nil, fmt.Errorf("searchagent: %w", err)
	}
	return &access{validator: v, owner: owner(append(who, string(filter)))}, nil
}

// confined returns v with the result of a host's filter function in it. If the
// function failed, or the filter is empty or does not fit, the error is ErrFilter.
func confined(v *esquery.Validator, filter json.RawMessage, err error) (*esquery.Validator, error) {
	if err == nil && len(bytes.TrimSpace(filter)) == 0 {
		err = errors.New("it is empty; to allow all documents, return match_all")
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

// owner joins names so that two different lists never have the same result.
func owner(names []string) string { return fmt.Sprintf("%q", names) }
