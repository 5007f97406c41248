// Package searchguard is the program that checks search bodies with the validator of
// package esquery.
package searchguard

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/lines"
)

const usage = `Usage: qed-esguard -mapping file [flags] < bodies.jsonl

Each line is a JSON object {"id": .., "body": {..}}, with an "index" if there are several.`

// Run runs the program and returns its exit status.
func Run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	p := lines.Program{
		Flags: flag.NewFlagSet("qed-esguard", flag.ContinueOnError), Usage: usage, Input: "bodies", Needed: "mapping",
	}
	p.Rules = p.Flags.String("mapping", "", "the mapping, a JSON `file`")
	filter := ""
	command.Once(p.Flags, &filter, "filter", "a query that each search must match too, a JSON `file`")
	var indices, sensitive []string
	p.Flags.Func("index", "the `name` of an index that may be searched; can be repeated", appendTo(&indices))
	p.Flags.Func("sensitive", "a `pattern` of fields that are hidden from the author; can be repeated", appendTo(&sensitive))
	p.Open = func() (func(lines.Line) (any, bool), error) {
		v, err := newValidator(*p.Rules, filter, indices, sensitive)
		if err != nil {
			return nil, err
		}
		return func(line lines.Line) (any, bool) {
			a := answerTo(v, line)
			return a, a.Verdict == esquery.Refused
		}, nil
	}
	return p.Run(ctx, args, in, out, errs)
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
