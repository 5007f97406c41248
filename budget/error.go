package budget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrExceeded is matched by the error of a budget that is used up. Such an
// error is an [*Error].
var ErrExceeded = errors.New("budget: used up")

// An Error is the error of an amount that a budget does not have left. It
// unwraps to [ErrExceeded].
type Error struct {
	What    string // "tokens", "model calls", "tool calls", "rows" or "time"
	Limit   int64  // of the budget that is used up; nanoseconds for time
	Reserve int64  // the part of Limit that is reserved for a final answer; 0 if it may be used
	Used    int64  // including what is reserved for running calls; it can exceed Limit
	Needed  int64  // the amount that was to be spent; 0 for time
}

// Error returns what is used up, and what can be done.
func (e *Error) Error() string {
	if e.Limit == 0 && e.Used == 0 {
		return fmt.Sprintf("%v: no %s left; set a higher limit in budget.With", ErrExceeded, e.What)
	}
	show := func(n int64) string {
		if e.What == names[wallTime] {
			return time.Duration(n).Round(time.Millisecond).String()
		}
		return fmt.Sprintf("%d %s", n, e.What)
	}
	text := fmt.Sprintf("%v: %s used of %s", ErrExceeded, show(e.Used), show(e.Limit))
	if e.Reserve > 0 {
		text += fmt.Sprintf(", %s of it reserved for a final answer", show(e.Reserve))
	}
	if e.Needed > 0 {
		text += fmt.Sprintf(", %s needed", show(e.Needed))
	}
	return text + "; set a higher limit in budget.With, or do less"
}

// Unwrap returns [ErrExceeded].
func (e *Error) Unwrap() error { return ErrExceeded }

// Exceeded reports whether err says that a budget of ctx is used up. It returns
// false for the error of a budget that began inside, such as one that a tool
// sets for itself: the caller can then still spend from its own.
func Exceeded(ctx context.Context, err error) bool {
	a := accountOf(ctx)
	e, ok := errors.AsType[*Error](err)
	if a == nil || !ok {
		return false
	}
	var use amounts
	if i := slices.Index(names[:], e.What); i >= 0 {
		use[i] = e.Needed
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lacks(use) != nil
}
