package searchagent

import (
	"errors"
)

// ErrFilter is the error of a turn for which [Options.Filter] gave no filter, or
// one that does not fit, and of a query for which [SourceOptions.Filter] did: nothing
// was searched.
var ErrFilter = errors.New("there is no filter for the turn, so nothing may be searched")

var errNoResult = errors.New("searchagent: the Engine returned neither a result nor an error")
