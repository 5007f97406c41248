// Command esguard says of search bodies whether they may be sent to Elasticsearch or
// OpenSearch, and mends or refuses them, as package esquery does in a program. It
// runs in front of any process that writes them, in whatever language: as a filter
// over a file, as a co-process that answers line by line, or as a check in CI.
//
//	go run ./examples/esguard -mapping mapping.json < bodies.jsonl
//
// The mapping is what GET /index/_mapping answers, of one index or several, or one
// mapping alone. Further flags:
//
//	-filter filter.json   a query that each search must match as well, such as the tenant's
//	-index NAME           an index that may be searched, by its exact name; repeat it for
//	                      several. Without it: the indices of the mapping. A name that
//	                      the mapping does not have stands for all of it, as an alias does
//	-sensitive PATTERN    a field that does not exist for the author; repeat it for several
//	-fail                 exit with status 1 when a body was refused
//
// It reads one JSON object a line, {"id": .., "body": {..}}, with "index" where there
// are several, and writes one a line, in the same order and at once:
//
//	{"id": .., "verdict": "ok", "body": {..}, "problems": []}
//	{"id": .., "verdict": "fixed", "body": {..}, "problems": [{"code": .., "path": .., "message": .., "fix": ".."}]}
//	{"id": .., "verdict": "refused", "problems": [{"code": .., "path": .., "message": .., "candidates": [".."]}]}
//
// Only the body that comes out may be sent: the filter is in it, and what hides the
// sensitive fields. The id is any JSON value and comes back as it was; a line without
// one gets its number. A line that is no such object is refused with the code
// "bad_line", one that is too long with "too_large"; neither ends the program. Blank
// lines are passed over.
//
// The exit status is 0 when all lines were answered, 1 when reading or writing
// failed, or with -fail when a body was refused, and 2 when the mapping, the filter
// or the command line is wrong.
//
// The files beside it are an example:
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

Each line is a JSON object {"id": .., "body": {..}}, with "index" where there are several.`

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
	filter := flags.String("filter", "", "a query that each search must match as well, a JSON `file`")
	fail := flags.Bool("fail", false, "exit with status 1 when a body is refused")
	var indices, sensitive []string
	flags.Func("index", "the `name` of an index that may be searched; repeatable", appendTo(&indices))
	flags.Func("sensitive", "a `pattern` of fields that do not exist for the author; repeatable", appendTo(&sensitive))
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
		fmt.Fprintf(errs, "esguard: %d refused\n", refused)
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

// alone is the name of the index of a mapping that says none.
const alone = "index"

// mappings returns the mapping of each index that may be searched: of those names,
// or of all that the response is of.
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
			each[alone] = all
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
