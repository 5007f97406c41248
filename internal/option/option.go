// Package option checks options and fills in their defaults.
package option

import (
	"errors"
	"fmt"
	"time"

	"github.com/qedkit/qed/refusal"
)

// Of returns the options at opt, or those of all defaults if it is nil.
func Of[T any](opt *T) T {
	if opt == nil {
		opt = new(T)
	}
	return *opt
}

// Default sets *v to standard if it is zero. It returns an error if *v is
// negative; name is the option that the error names, such as
// "sqlagent: Options.MaxRows".
func Default[N int | int64 | float64 | time.Duration](name string, v *N, standard N) error {
	if *v < 0 {
		return fmt.Errorf("%s is %v: it cannot be negative", name, *v)
	}
	if *v == 0 {
		*v = standard
	}
	return nil
}

// DefaultOrNone sets *v to standard if it is zero, and to 0 if it is negative. It is
// for options whose negative values mean none.
func DefaultOrNone[N int | int64 | time.Duration](v *N, standard N) {
	switch {
	case *v == 0:
		*v = standard
	case *v < 0:
		*v = 0
	}
}

// UnknownName returns the error of an option that has a name which is none of known.
// message says that, and the names that may have been meant follow it.
func UnknownName(message, name string, known []string) error {
	return errors.New(refusal.Problem{Message: message, Candidates: refusal.Nearest(name, known, 3)}.String())
}
