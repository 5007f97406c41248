package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/qedkit/qed/examples/shipping"
	"github.com/qedkit/qed/internal/command"
)

const usage = `Usage: bi [-scenario number|all] [-user ana|ben] [-out file] [question]

-scenario: one of the recorded conversations, or all. Without it and without a question:
  all of them, or your own questions if a model is configured.
-user: who asks your own questions. For ana, the default, "Miami" is the Port of Miami;
  ben is asked which port is meant.
-out: the file for the last chart, in Vega-Lite, which vega.github.io/editor draws.
ELASTICSEARCH_URL: the cluster to search instead of a recording.
OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY: the model to ask instead of a recording.`

// options is the command line.
type options struct {
	scenarios []shipping.Scenario // nil: none is chosen
	user      shipping.User
	userGiven bool
	out       string
	question  string
}

// own reports whether the user wants to ask questions that are not recorded.
func (o *options) own() bool { return o.question != "" || o.userGiven }

func parse(args []string) (*options, error) {
	o := &options{}
	var scenario, user string
	flags := flag.NewFlagSet("bi", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprintln(flags.Output(), usage) }
	flags.StringVar(&scenario, "scenario", "", "")
	flags.StringVar(&user, "user", shipping.Ana.Name, "")
	flags.StringVar(&o.out, "out", "", "")
	if err := command.Parse(flags, args); err != nil {
		return nil, err
	}
	o.question = strings.Join(flags.Args(), " ")
	flags.Visit(func(f *flag.Flag) { o.userGiven = o.userGiven || f.Name == "user" })
	switch {
	case scenario != "" && o.userGiven:
		return nil, fmt.Errorf("-scenario %s has its own user: leave out -user, or -scenario", scenario)
	case scenario != "" && o.question != "":
		return nil, fmt.Errorf("-scenario %s has its own questions: leave out %q, or -scenario", scenario, o.question)
	}
	switch user {
	case shipping.Ana.Name:
		o.user = shipping.Ana
	case shipping.Ben.Name:
		o.user = shipping.Ben
	default:
		return nil, fmt.Errorf("there is no -user %q: use %s or %s", user, shipping.Ana.Name, shipping.Ben.Name)
	}
	if err := writable(o.out); err != nil {
		return nil, err
	}
	var err error
	o.scenarios, err = choose(scenario)
	return o, err
}

// writable returns an error if -out names a file that cannot be written, before
// any question is asked.
func writable(file string) error {
	if file == "" {
		return nil
	}
	folder := filepath.Dir(file)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("-out %s: there is no folder %s", file, folder)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("-out %s is a folder: name a file in it, such as %s", file, filepath.Join(file, "chart.json"))
	}
	return nil
}

// choose returns the scenarios that -scenario names.
func choose(number string) ([]shipping.Scenario, error) {
	all := shipping.Scenarios()
	switch number {
	case "":
		return nil, nil
	case "all":
		return all, nil
	}
	var known strings.Builder
	for _, s := range all {
		if number == fmt.Sprint(s.Number) {
			return []shipping.Scenario{s}, nil
		}
		fmt.Fprintf(&known, "\n  %d  %s", s.Number, s.Title)
	}
	return nil, fmt.Errorf("there is no -scenario %q: use all, or one of%s", number, known.String())
}
