package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/assistant"
	"github.com/qedkit/qed/store"
)

// options is the command line.
type options struct {
	assistant.Options
	thread  string
	crashAt int
}

func parse(args []string) (*options, error) {
	o := &options{}
	o.Database.Example, o.Manual = fieldservice.Database(), fieldservice.Manual()
	flags := flag.NewFlagSet("orchestrator", flag.ContinueOnError)
	o.Flags(flags)
	flags.StringVar(&o.thread, "thread", "chat-1", "the `name` of the conversation")
	flags.IntVar(&o.crashAt, "crash-at", 0, "crash after `n` records of a turn, to see how the next start resumes it")
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q, which is no flag: type questions when the program has started", flags.Arg(0))
	case o.crashAt < 0:
		return nil, errors.New("-crash-at is negative: it is the number of records after which the program crashes")
	}
	return o, store.CheckConversation(o.thread)
}
