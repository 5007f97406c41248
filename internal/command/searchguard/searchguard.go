// Package searchguard is the program that checks search bodies with the validator of
// package esquery.
package searchguard

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/lines"
)

// The exit statuses.
const (
	OK     = 0
	Failed = 1
	Usage  = 2
)

const usage = `Usage: qed-esguard -mapping file [flags] < bodies.jsonl

Each line is a JSON object {"id": .., "body": {..}}, with an "index" if there are several.`

// Run runs the program and returns its exit status.
func Run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	flags := flag.NewFlagSet("qed-esguard", flag.ContinueOnError)
	flags.SetOutput(errs)
	mapping := flags.String("mapping", "", "the mapping, a JSON `file`")
	var filter string
	command.Once(flags, &filter, "filter", "a query that each search must match too, a JSON `file`")
	fail := flags.Bool("fail", false, "exit with status 1 if a body is refused")
	var indices, sensitive []string
	flags.Func("index", "the `name` of an index that may be searched; can be repeated", appendTo(&indices))
	flags.Func("sensitive", "a `pattern` of fields that are hidden from the author; can be repeated", appendTo(&sensitive))
	flags.Usage = func() {
		fmt.Fprint(errs, usage, "\n\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return OK
		}
		return Usage
	}
	switch {
	case *mapping == "":
		fmt.Fprintln(errs, "qed-esguard: -mapping is missing: name the JSON file with the mapping")
		return Usage
	case flags.NArg() > 0:
		fmt.Fprintf(errs, "qed-esguard: unexpected argument %q: bodies are read from standard input\n", flags.Arg(0))
		return Usage
	}
	v, err := newValidator(*mapping, filter, indices, sensitive)
	if err != nil {
		fmt.Fprintf(errs, "qed-esguard: %v\n", err)
		return Usage
	}
	refused := 0
	err = lines.Answer(ctx, in, out, func(line lines.Line) any {
		a := answerTo(v, line)
		if a.Verdict == esquery.Refused {
			refused++
		}
		return a
	})
	switch {
	case err != nil:
		fmt.Fprintf(errs, "qed-esguard: %v\n", err)
		return Failed
	case refused > 0 && *fail:
		fmt.Fprintf(errs, "qed-esguard: bodies refused: %d\n", refused)
		return Failed
	}
	return OK
}

func appendTo(list *[]string) func(string) error {
	return func(value string) error {
		*list = append(*list, value)
		return nil
	}
}

func newValidator(mapping, filter string, names, sensitive []string) (*esquery.Validator, error) {
	text, err := os.ReadFile(mapping)
	if err != nil {
		return nil, err
	}
	indices, err := mappings(text, names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mapping, err)
	}
	v, err := esquery.NewValidator(indices, &esquery.Options{Sensitive: sensitive})
	if err != nil || filter == "" {
		return v, err
	}
	if text, err = os.ReadFile(filter); err != nil {
		return nil, err
	}
	if v, err = v.Filtered(text); err != nil {
		return nil, fmt.Errorf("%s: %w", filter, err)
	}
	return v, nil
}

// unnamed is the name of the index if the mapping does not name one.
const unnamed = "index"

// mappings returns the mappings of the indices that may be searched: those with the
// given names, or all indices of the response.
func mappings(response []byte, names []string) (map[string]*esquery.Mapping, error) {
	all, err := esquery.ParseMapping(response)
	if err != nil {
		return nil, err
	}
	each := map[string]*esquery.Mapping{}
	if named := all.Indices(); len(named) > 0 {
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(response, &parts); err != nil {
			return nil, err
		}
		for _, name := range named {
			if each[name], err = esquery.ParseMapping(parts[name]); err != nil {
				return nil, fmt.Errorf("index %q: %w", name, err)
			}
		}
	}
	if names == nil {
		if len(each) == 0 {
			each[unnamed] = all
		}
		return each, nil
	}
	chosen := map[string]*esquery.Mapping{}
	for _, name := range names {
		if chosen[name] = each[name]; chosen[name] == nil {
			chosen[name] = all
		}
	}
	return chosen, nil
}
