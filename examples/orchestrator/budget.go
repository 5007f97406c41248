package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
)

// readBudget reads limits such as tokens=20000,calls=12,rows=500,time=1m.
func readBudget(text string) (qed.Limits, error) {
	var l qed.Limits
	numbers := map[string]*int{"tokens": &l.Tokens, "calls": &l.ModelCalls, "rows": &l.Rows}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		var err error
		switch into, known := numbers[name]; {
		case known:
			if *into, err = strconv.Atoi(value); err == nil && *into <= 0 {
				err = strconv.ErrRange
			}
		case name == "time":
			if l.Time, err = time.ParseDuration(value); err == nil && l.Time <= 0 {
				err = strconv.ErrRange
			}
		default:
			return l, fmt.Errorf("there is no limit %q: there are tokens, calls, rows and time", name)
		}
		if err != nil {
			return l, fmt.Errorf("the limit %s is %q: it must be more than nothing, such as tokens=20000 or time=1m30s", name, value)
		}
	}
	return l, nil
}
