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

const usage = `Usage: qed-guard -policy file [-fail] < statements.jsonl

Each line is a JSON object {"id": .., "sql": ".."}, with {"session": {"tenant": ".."}} if the
policy filters rows by :tenant. Its answer is
{"id": .., "ok": true, "sql": ".."} with the statement that may be executed, or
{"id": .., "ok": false, "code": "..", "message": ".."}.`

// Run runs the program and returns its exit status. dialects are those that a policy
// may name.
func Run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer, dialects map[string]dialect.Dialect) int {
	p := lines.Program{
		Flags: flag.NewFlagSet("qed-guard", flag.ContinueOnError), Usage: usage, Input: "statements", Needed: "policy",
	}
	policy := ""
	p.Rules = &policy
	command.Once(p.Flags, &policy, "policy", "the policy, a JSON `file`")
	p.Open = func() (func(lines.Line) (any, bool), error) {
		g, err := NewGuard(policy, dialects)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", policy, err)
		}
		return func(line lines.Line) (any, bool) {
			a, stmt := Rewrite(ctx, g, line)
			if a.OK {
				a = a.executable(stmt)
			}
			return a, !a.OK
		}, nil
	}
	return p.Run(ctx, args, in, out, errs)
}

// Dialects returns the dialects that need no cgo.
func Dialects() map[string]dialect.Dialect {
	return map[string]dialect.Dialect{"mysql": mysql.Dialect{}, "postgres": postgres.Dialect{}, "sqlite": sqlite.Dialect{}}
}

// NewGuard returns the guard of the policy in a file.
func NewGuard(file string, dialects map[string]dialect.Dialect) (*secureview.Guard, error) {
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
