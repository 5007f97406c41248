// Command guard rewrites SQL statements under a policy, or refuses them, as
// package secureview does in a program. It runs in front of any process that
// writes SQL, in whatever language: as a filter over a file, as a co-process that
// answers line by line, or as a check in CI.
//
//	go run ./examples/guard -policy policy.json < statements.jsonl
//
// It reads one JSON object a line, {"id": .., "sql": ".."}, and writes one a
// line, in the same order and at once:
//
//	{"id": .., "ok": true, "sql": "SELECT .."}
//	{"id": .., "ok": false, "code": "unknown_column", "message": "..", "candidates": [".."]}
//
// The id is any JSON value and comes back as it was. A line that is no such
// object is answered with the code "bad_line", one that is too long with
// "too_large"; neither ends the program. Blank lines are passed over.
//
// The exit status is 0 when all lines were answered, 1 when reading or writing
// failed, or with -fail when a statement was refused, and 2 when the policy or
// the command line is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/dialect/mysql"
	"github.com/qedkit/qed/dialect/postgres"
	"github.com/qedkit/qed/dialect/sqlite"
	"github.com/qedkit/qed/examples/internal/lines"
	"github.com/qedkit/qed/secureview"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	flags := flag.NewFlagSet("guard", flag.ContinueOnError)
	flags.SetOutput(errs)
	policy := flags.String("policy", "", "the policy, a JSON `file`")
	fail := flags.Bool("fail", false, "exit with status 1 when a statement is refused")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitUsage
	}
	switch {
	case *policy == "":
		fmt.Fprintln(errs, "guard: -policy is missing: name the JSON file with the policy")
		return exitUsage
	case flags.NArg() > 0:
		fmt.Fprintf(errs, "guard: unexpected argument %q: statements are read from standard input\n", flags.Arg(0))
		return exitUsage
	}
	g, err := newGuard(*policy)
	if err != nil {
		fmt.Fprintf(errs, "guard: %s: %v\n", *policy, err)
		return exitUsage
	}
	refused, err := filter(ctx, g, in, out)
	switch {
	case err != nil:
		fmt.Fprintf(errs, "guard: %v\n", err)
		return exitFailed
	case refused > 0 && *fail:
		fmt.Fprintf(errs, "guard: %d refused\n", refused)
		return exitFailed
	}
	return exitOK
}

func newGuard(file string) (*secureview.Guard, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, errors.Unwrap(err) // the file's name stands before it already
	}
	defer f.Close()
	p, err := secureview.ReadPolicy(f)
	if err != nil {
		return nil, err
	}
	dialects := map[string]dialect.Dialect{"mysql": mysql.Dialect{}, "postgres": postgres.Dialect{}, "sqlite": sqlite.Dialect{}}
	d, ok := dialects[p.Dialect]
	if !ok {
		return nil, fmt.Errorf("dialect %q is none of mysql, postgres, sqlite", p.Dialect)
	}
	return secureview.New(p, d)
}

// filter answers line after line and returns how many it refused.
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
