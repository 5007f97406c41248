package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/assistant"
)

// options is the command line.
type options struct {
	assistant.Options
	thread  string
	crashAt int
	limits  budget.Limits
}

func parse(args []string) (*options, error) {
	o := &options{}
	o.Database.Example, o.Manual = fieldservice.Database(), fieldservice.Manual()
	flags := flag.NewFlagSet("orchestrator", flag.ContinueOnError)
	o.Flags(flags)
	flags.StringVar(&o.thread, "thread", "", "the `name` of the conversation; default: the last one")
	flags.IntVar(&o.crashAt, "crash-at", 0, "crash after `n` records of a turn, to see how the next start resumes it")
	flags.Func("budget", "the limits of one turn: a `list` such as tokens=20000,calls=12,rows=500,time=1m", func(text string) (err error) {
		o.limits, err = readBudget(text)
		return err
	})
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q, which is no flag: type questions when the program has started", flags.Arg(0))
	case o.crashAt < 0:
		return nil, errors.New("-crash-at is negative: it is the number of records after which the program crashes")
	}
	return o, checkThread(o.thread)
}

// readBudget parses limits such as tokens=20000,calls=12,rows=500,time=1m.
func readBudget(text string) (budget.Limits, error) {
	var l budget.Limits
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
			return l, fmt.Errorf("there is no limit %q: use tokens, calls, rows or time", name)
		}
		if err != nil {
			return l, fmt.Errorf("the limit %s is %q: it must be positive, such as tokens=20000 or time=1m30s", name, value)
		}
	}
	return l, nil
}
