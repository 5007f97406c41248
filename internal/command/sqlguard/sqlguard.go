// Package sqlguard is the program that checks SQL statements with the guard of package
// secureview.
package sqlguard

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/lines"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

// The exit statuses.
const (
	OK     = 0
	Failed = 1
	Usage  = 2
)

const usage = `Usage: qed-guard -policy file [-fail] < statements.jsonl

Each line is a JSON object {"id": .., "sql": ".."}. Its answer is
{"id": .., "ok": true, "sql": ".."} with the statement that may be executed, or
{"id": .., "ok": false, "code": "..", "message": ".."}.`

// Run runs the program and returns its exit status. dialects are those that a policy
// may name.
func Run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer, dialects map[string]dialect.Dialect) int {
	flags := flag.NewFlagSet("qed-guard", flag.ContinueOnError)
	flags.SetOutput(errs)
	var policy string
	command.Once(flags, &policy, "policy", "the policy, a JSON `file`")
	fail := flags.Bool("fail", false, "exit with status 1 if a statement is refused")
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
	case policy == "":
		fmt.Fprintln(errs, "qed-guard: -policy is missing: name the JSON file with the policy")
		return Usage
	case flags.NArg() > 0:
		fmt.Fprintf(errs, "qed-guard: unexpected argument %q: statements are read from standard input\n", flags.Arg(0))
		return Usage
	}
	g, err := newGuard(policy, dialects)
	if err != nil {
		fmt.Fprintf(errs, "qed-guard: %s: %v\n", policy, err)
		return Usage
	}
	refused, err := filter(ctx, g, in, out)
	switch {
	case err != nil:
		fmt.Fprintf(errs, "qed-guard: %v\n", err)
		return Failed
	case refused > 0 && *fail:
		fmt.Fprintf(errs, "qed-guard: statements refused: %d\n", refused)
		return Failed
	}
	return OK
}

// Dialects returns the dialects that need no cgo.
func Dialects() map[string]dialect.Dialect {
	return map[string]dialect.Dialect{"mysql": mysql.Dialect{}, "postgres": postgres.Dialect{}, "sqlite": sqlite.Dialect{}}
}

func newGuard(file string, dialects map[string]dialect.Dialect) (*secureview.Guard, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, errors.Unwrap(err) // the caller adds the name of the file
	}
	defer f.Close()
	p, err := secureview.ReadPolicy(f)
	if err != nil {
		return nil, err
	}
	d, ok := dialects[p.Dialect]
	if !ok {
		return nil, fmt.Errorf("the dialect %q is not supported: use %s", p.Dialect,
			strings.Join(slices.Sorted(maps.Keys(dialects)), ", "))
	}
	return secureview.New(p, d)
}

// filter answers the lines and returns the number of refused statements.
func filter(ctx context.Context, g *secureview.Guard, in io.Reader, out io.Writer) (refused int, err error) {
	err = lines.Answer(ctx, in, out, func(line lines.Line) any {
		a := answerTo(ctx, g, line)
		if !a.OK {
			refused++
		}
		return a
	})
	return refused, err
}
