// Secureviews sets up the database of a policy on a MySQL, MariaDB or PostgreSQL
// server: the secure views that decrypt and filter, and an account that can read the
// views and nothing else. Then it asks a question through them.
//
// It prints the statements of an administrator for review. With -apply it runs them and
// gives the account the password of -as:
//
//	go run ./examples/secureviews -dsn mysql://root@127.0.0.1:3306/app -policy policy.json
//	go run ./examples/secureviews -dsn mysql://root@127.0.0.1:3306/app -policy policy.json \
//		-apply -as mysql://qed_agent:secret@127.0.0.1:3306/app
//
// With -ask it checks the account, and prints a statement as it was written, as it was
// executed, and its rows. If a model is configured (OPENAI_API_KEY, OPENAI_BASE_URL or
// ANTHROPIC_API_KEY), -ask takes a question as well:
//
//	go run ./examples/secureviews -as mysql://qed_agent:secret@127.0.0.1:3306/app -policy policy.json \
//		-key k -set customerIds=1,2 -ask "SELECT name, phone FROM employee"
//
// With -demo it first makes a small company in an empty database, with encrypted
// columns. Its policies, policy.mysql.json and policy.postgres.json in this folder, show
// what a policy looks like:
//
//	go run ./examples/secureviews -demo -dsn postgres://postgres@127.0.0.1:5432/demo \
//		-apply -as postgres://qed_agent:secret@127.0.0.1:5432/demo \
//		-key k -set app.customerIds=1,2 -ask "SELECT name, taxId FROM customer"
//
// DB_ENCRYPT_KEY, in the environment or in a .env file, is the key, and keeps it out of
// the list of processes.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/secureview"
)

func main() {
	command.Main("secureviews", func(ctx context.Context, args []string, _ io.Reader, out io.Writer) error {
		return run(ctx, args, out)
	})
}

// options is the command line.
type options struct {
	dsn, as, policy string
	demo, apply     bool
	key, ask        string
	set             values
}

func run(ctx context.Context, args []string, out io.Writer) error {
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	o := options{set: values{}}
	flags := flag.NewFlagSet("secureviews", flag.ContinueOnError)
	flags.StringVar(&o.dsn, "dsn", "", "the `database` as its administrator: mysql://.. or postgres://..")
	flags.StringVar(&o.as, "as", "", "the same `database` as the policy's account, with its password, present or future")
	flags.StringVar(&o.policy, "policy", "", "`file` of the policy")
	flags.BoolVar(&o.demo, "demo", false, "first make a small company, with a policy of its own, in an empty database")
	flags.BoolVar(&o.apply, "apply", false, "run the statements that are printed")
	flags.StringVar(&o.key, "key", conf.EncryptKey, "the `key` that decrypts columns; default: DB_ENCRYPT_KEY")
	flags.Lookup("key").DefValue = "" // -h must not print the key
	flags.Var(o.set, "set", "a setting of the session, `name=value`, for the filters of the views; can be repeated")
	flags.StringVar(&o.ask, "ask", "", "a `SELECT` over the policy's tables, or a question if a model is configured")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: a question goes after -ask, in quotes", flags.Arg(0))
	}
	if err := o.check(); err != nil {
		return err
	}
	admin, agent, err := o.databases()
	if err != nil {
		return err
	}
	p, err := o.readPolicy(cmp.Or(admin, agent))
	if err != nil {
		return err
	}
	if agent != nil && p.Setup != nil && agent.User != userOf(p) {
		return fmt.Errorf("-as logs in as %s, but the policy's account is %s", agent.User, p.Setup.Account)
	}
	if agent != nil && o.apply && strings.ContainsAny(agent.Password, `'\`) {
		return errors.New(`-as: -apply cannot set a password with ' or \ in it`)
	}
	if admin != nil {
		if err := setUp(ctx, out, &o, p, admin, agent); err != nil {
			return err
		}
	}
	if o.ask == "" {
		return nil
	}
	return ask(ctx, out, &o, p, agent, conf)
}

// check returns an error for flags that do not fit together.
func (o *options) check() error {
	switch {
	case o.dsn == "" && o.as == "":
		return errors.New("name the database: -dsn as its administrator, or -as as the account of the policy")
	case o.dsn == "" && (o.demo || o.apply):
		return errors.New("-demo and -apply need -dsn, the database as its administrator")
	case o.as == "" && o.ask != "":
		return errors.New("-ask needs -as, the database as the account of the policy")
	case o.ask == "" && o.dsn == "":
		return errors.New("-as alone does nothing: add -ask to ask through the account")
	case o.demo == (o.policy != ""):
		return errors.New("name the -policy, or use -demo, which has its own")
	case o.demo && o.key == "":
		return errors.New("-demo needs -key, which encrypts its columns")
	}
	return nil
}

// databases returns the database as its administrator and as the account. Either can
// be nil.
func (o *options) databases() (admin, agent *database.Database, err error) {
	parse := func(dsn, flag string) (*database.Database, error) {
		if dsn == "" {
			return nil, nil
		}
		d, err := database.Parse(dsn)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", flag, err)
		case d.Dialect.Name() == "sqlite":
			return nil, fmt.Errorf("%s: SQLite has no accounts: use a mysql:// or postgres:// URL", flag)
		}
		return d, nil
	}
	if admin, err = parse(o.dsn, "-dsn"); err != nil {
		return nil, nil, err
	}
	if agent, err = parse(o.as, "-as"); err != nil {
		return nil, nil, err
	}
	if admin != nil && agent != nil && (admin.Dialect.Name() != agent.Dialect.Name() || admin.Schema != agent.Schema) {
		return nil, nil, errors.New("-dsn and -as name different databases")
	}
	return admin, agent, nil
}

// readPolicy reads the policy, and completes it with the dialect and schema of the
// database.
func (o *options) readPolicy(d *database.Database) (p *secureview.Policy, err error) {
	if o.demo {
		p, err = secureview.ReadPolicy(strings.NewReader(demos[d.Dialect.Name()].policy))
	} else {
		f, openErr := os.Open(o.policy)
		if openErr != nil {
			return nil, openErr
		}
		defer f.Close()
		p, err = secureview.ReadPolicy(f)
	}
	if err != nil {
		return nil, err
	}
	p.Dialect, p.Schema = cmp.Or(p.Dialect, d.Dialect.Name()), cmp.Or(p.Schema, d.Schema)
	if p.Dialect != d.Dialect.Name() {
		return nil, fmt.Errorf("the policy is for %s, the database is %s", p.Dialect, d.Dialect.Name())
	}
	return p, nil
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

// values are the session settings of the command line.
type values map[string]any

func (v values) String() string { return "" }

func (v values) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("not of the form name=value")
	}
	v[name] = value
	return nil
}
