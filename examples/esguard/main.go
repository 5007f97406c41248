// Esguard checks search bodies for Elasticsearch and OpenSearch with the validator of
// package esquery: it accepts, fixes or refuses each one. It works for programs in any
// language: as a filter over a file, as a co-process that answers line by line, or as a
// check in CI.
//
//	go run ./examples/esguard -mapping mapping.json < bodies.jsonl
//
// The mapping is the answer to GET /index/_mapping, for one index or several, or the
// mapping alone. Further flags:
//
//	-filter filter.json   a query that each search must match too, such as the tenant's
//	-index NAME           an index that may be searched, by its exact name; can be repeated.
//	                      The default is the indices of the mapping. A name that is not in
//	                      the mapping is an alias for all of its indices
//	-sensitive PATTERN    fields that are hidden from the author; can be repeated
//	-fail                 exit with status 1 if a body was refused
//
// It reads one JSON object per line, {"id": .., "body": {..}}, with an "index" if there
// are several, and writes one per line. It answers each line before it reads the next:
//
//	{"id": .., "verdict": "ok", "body": {..}, "problems": []}
//	{"id": .., "verdict": "fixed", "body": {..}, "problems": [{"code": .., "path": .., "message": .., "fix": ".."}]}
//	{"id": .., "verdict": "refused", "problems": [{"code": .., "path": .., "message": .., "candidates": [".."]}]}
//
// Only the body of the output may be sent: it contains the filter, and it hides the
// sensitive fields. The id is any JSON value and is returned unchanged; the default is
// the number of the line. A line that cannot be read is refused with the code
// "bad_line", one that is too long with "too_large"; the program continues. Blank
// lines are skipped.
//
// The exit status is 0 if all lines were answered, 1 if a read or write failed, or with
// -fail if a body was refused, and 2 if the mapping, the filter or the command line is
// wrong.
//
// The files in this folder are an example:
//
//	go run ./examples/esguard -mapping examples/esguard/mapping.json -filter examples/esguard/filter.json -sensitive owner.ssn < examples/esguard/bodies.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/examples/internal/lines"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `Usage: esguard -mapping file [flags] < bodies.jsonl

Each line is a JSON object {"id": .., "body": {..}}, with an "index" if there are several.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	flags := flag.NewFlagSet("esguard", flag.ContinueOnError)
	flags.SetOutput(errs)
	mapping := flags.String("mapping", "", "the mapping, a JSON `file`")
	filter := flags.String("filter", "", "a query that each search must match too, a JSON `file`")
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
			return exitOK
		}
		return exitUsage
	}
	switch {
	case *mapping == "":
		fmt.Fprintln(errs, "esguard: -mapping is missing: name the JSON file with the mapping")
		return exitUsage
	case flags.NArg() > 0:
		fmt.Fprintf(errs, "esguard: unexpected argument %q: bodies are read from standard input\n", flags.Arg(0))
		return exitUsage
	}
	v, err := newValidator(*mapping, *filter, indices, sensitive)
	if err != nil {
		fmt.Fprintf(errs, "esguard: %v\n", err)
		return exitUsage
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
		fmt.Fprintf(errs, "esguard: %v\n", err)
		return exitFailed
	case refused > 0 && *fail:
		fmt.Fprintf(errs, "esguard: bodies refused: %d\n", refused)
		return exitFailed
	}
	return exitOK
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
