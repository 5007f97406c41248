// Guard checks SQL statements with the guard of package secureview: it rewrites each
// one according to a policy, or refuses it. It works for programs in any language: as
// a filter over a file, as a co-process that answers line by line, or as a check in CI.
//
//	go run ./examples/guard -policy policy.json < statements.jsonl
//
// It reads one JSON object per line, {"id": .., "sql": ".."}, and writes one per line.
// It answers each line before it reads the next:
//
//	{"id": .., "ok": true, "sql": "SELECT .."}
//	{"id": .., "ok": false, "code": "unknown_column", "message": "..", "candidates": [".."]}
//
// The id is any JSON value and is returned unchanged. The answer to a line that cannot
// be read has the code "bad_line", to one that is too long "too_large"; the program
// continues. Blank lines are skipped.
//
// The exit status is 0 if all lines were answered, 1 if a read or write failed, or
// with -fail if a statement was refused, and 2 if the policy or the command line is
// wrong.
//
// The files in this folder are an example:
//
//	go run ./examples/guard -policy examples/guard/policy.json < examples/guard/statements.jsonl
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"

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
	fail := flags.Bool("fail", false, "exit with status 1 if a statement is refused")
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
		fmt.Fprintf(errs, "guard: statements refused: %d\n", refused)
		return exitFailed
	}
	return exitOK
}

// dialects are the dialects that a policy may name. With the build tag duckdb,
// DuckDB is among them, which needs cgo.
var dialects = map[string]dialect.Dialect{
	"mysql":    mysql.Dialect{},
	"postgres": postgres.Dialect{},
	"sqlite":   sqlite.Dialect{},
}

func newGuard(file string) (*secureview.Guard, error) {
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
