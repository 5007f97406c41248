// Qed-provision sets up the database of a policy on a MySQL, MariaDB or PostgreSQL
// server: the secure views that decrypt and filter, row-level security, and an account
// that can read what the policy lists and do nothing else.
//
// It prints the statements of an administrator for review. With -apply it runs them, gives
// the account the password of -as, and checks what the account can do:
//
//	qed-provision -policy policy.json -dsn mysql://root@127.0.0.1:3306/app
//	qed-provision -policy policy.json -dsn mysql://root@127.0.0.1:3306/app \
//		-apply -as mysql://qed_agent:secret@127.0.0.1:3306/app
//
// The "setup" of the policy names the account, the encrypted columns and the filters. A
// policy for each server is in testdata. Applied again, it brings the account and the
// views to the state of the policy.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/provision"
)

func main() {
	command.Main("qed-provision", func(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
		return run(ctx, args, out)
	})
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("qed-provision", flag.ContinueOnError)
	dsn := flags.String("dsn", "", "the `database` as its administrator: mysql://.. or postgres://..")
	as := flags.String("as", "", "the same `database` as the policy's account, with the password that it gets")
	var file string
	command.Once(flags, &file, "policy", "`file` of the policy")
	applied := flags.Bool("apply", false, "run the statements that are printed")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *dsn == "":
		return errors.New("name the database as its administrator: -dsn")
	case file == "":
		return errors.New("name the -policy")
	}
	admin, err := parse("-dsn", *dsn)
	if err != nil {
		return err
	}
	p, err := readPolicy(file, admin)
	if err != nil {
		return err
	}
	script, err := provision.SQL(p)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var agent *database.Database
	if *as != "" {
		if agent, err = parse("-as", *as); err != nil {
			return err
		}
		if err := checkLogin(p, admin, agent); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "-- %s\n\n%s", admin.Name, script)
	if !*applied {
		fmt.Fprintf(out, "\n-- None of this was run: -apply runs it.\n")
		return nil
	}
	if err := apply(ctx, admin, p, script, agent); err != nil {
		return fmt.Errorf("%s: %w", admin.Name, err)
	}
	fmt.Fprintf(out, "\n-- Statements run: %d.\n", len(script))
	if agent == nil {
		fmt.Fprintf(out, "-- %s cannot log in yet: -as sets its password.\n", p.Setup.Account)
		return nil
	}
	if err := check(ctx, out, agent, p); err != nil {
		return fmt.Errorf("%s: %w", agent.Name, err)
	}
	return nil
}

// parse reads the address of a server.
func parse(flag, dsn string) (*database.Database, error) {
	d, err := database.Parse(dsn)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", flag, err)
	case d.Connect == nil:
		return nil, fmt.Errorf("%s: SQLite has no accounts: use a mysql:// or postgres:// URL", flag)
	}
	return d, nil
}

// readPolicy reads the policy, and completes it with the dialect and schema of the
// database: in PostgreSQL that of the URL, or public.
func readPolicy(file string, d *database.Database) (*secureview.Policy, error) {
	p, err := database.ReadPolicy(file)
	if err != nil {
		return nil, err
	}
	p.Dialect = cmp.Or(p.Dialect, d.Dialect.Name())
	p.Schema = cmp.Or(p.Schema, append(d.Schemas, "public")[0])
	if p.Dialect != d.Dialect.Name() {
		return nil, fmt.Errorf("%s: the policy is for %s, the database is %s", file, p.Dialect, d.Dialect.Name())
	}
	return p, nil
}

// checkLogin checks that -as is the policy's account on the server of -dsn.
func checkLogin(p *secureview.Policy, admin, agent *database.Database) error {
	switch {
	case admin.Dialect.Name() != agent.Dialect.Name() || !slices.Equal(admin.Schemas, agent.Schemas):
		return errors.New("-dsn and -as name different databases")
	case agent.User != userOf(p):
		return fmt.Errorf("-as logs in as %s, but the policy's account is %s", agent.User, p.Setup.Account)
	case p.Dialect == "mysql" && agent.Password == "":
		return errors.New("-as has no password: mysql://user:password@host/database")
	case strings.ContainsAny(agent.Password, `'\`):
		return errors.New(`-as: a password with ' or \ in it cannot be set`)
	}
	return nil
}

// userOf returns the user name of the policy's account: in MySQL, without the host.
func userOf(p *secureview.Policy) string {
	account := p.Setup.Account
	if p.Dialect != "mysql" || account == "" {
		return account
	}
	if mark := account[:1]; strings.Contains("'`\"", mark) {
		name, _, _ := strings.Cut(account[1:], mark)
		return name
	}
	name, _, _ := strings.Cut(account, "@")
	return name
}
