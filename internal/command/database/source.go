package database

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

// Options says which database to open.
type Options struct {
	DSN    string // see [Parse]
	Policy string // a file
	Graph  string // a file with relationships that the database does not declare

	// AllTables opens every table if no policy is named. If it is false, one has to be.
	AllTables bool

	// Example is opened if no database is named. Nil means that one has to be.
	Example *Example

	// UnsafeAccount allows an account with more rights than the policy needs.
	UnsafeAccount bool

	// Owner means that the program is for the owner of the database, whose rights are
	// not compared with the policy.
	Owner bool

	// Settings returns the settings of the session that a request decides, for the
	// context of a statement. Nil means that all statements have the same session.
	Settings func(context.Context) (map[string]any, error)
}

// An Example is a database in SQLite that a program makes for itself.
type Example struct {
	Name   string
	Create func(ctx context.Context, file string) error
	Policy *secureview.Policy
	Graph  string // relationships, for [joinpath.Import]
}

// Flags defines the flags of the options.
func (o *Options) Flags(flags *flag.FlagSet) {
	unless := ""
	if o.Example != nil {
		unless = ", or an example"
	}
	flags.StringVar(&o.DSN, "dsn", "", "the `database`: the path of an SQLite file, mysql://.. or postgres://..?schema=NAME,NAME; default: that of DB_NAME"+unless)
	command.Once(flags, &o.Policy, "policy", "`file` with the policy for -dsn: what may be read, and through which views")
	if !o.AllTables {
		flags.BoolVar(&o.AllTables, "all-tables", false, "open every table if there is no -policy")
	}
	flags.StringVar(&o.Graph, "graph", "", "`file` with relationships that the database of -dsn does not declare")
	if o.Owner {
		return
	}
	flags.BoolVar(&o.UnsafeAccount, "unsafe-account", false, "allow an account with more rights than the policy needs")
}

// Source is a database that agents ask: open for reading, with its schema and
// guard.
type Source struct {
	Name     string
	Notes    []string        // about the database, for the user
	Findings []sqldb.Finding // what is wrong with the account

	DB     *sqldb.DB
	Guard  *secureview.Guard
	Schema *joinpath.Schema // what the policy lets statements read

	// Policy is that of the file. Without one it lists every table and column but
	// Secrets and LeftOut, and reads a table with a secure view through the view.
	Policy  *secureview.Policy
	Secrets []string
	LeftOut []string // what cannot be used, with the reasons

	dialect dialect.Dialect
	folder  string // a temporary one, with the example; else empty
	reader  func(sqldb.Options) (*sqldb.DB, error)
	session sqldb.SessionFunc
	request bool // sessions depend on the request
}

// The errors of [OpenSource] for an account or a policy with findings.
var (
	ErrAccount = errors.New("the account does not have the rights that the policy needs, no more and no fewer, as shown above: " +
		"make an account that can only read what the policy lists (package provision writes one), or set -unsafe-account")
	ErrPolicy = errors.New("the policy does not fit the database, as shown above: correct the names in it")
)

// OpenSource opens the database of the options, or of the settings (DB_NAME), or
// makes the example. If ErrAccount or ErrPolicy is returned the Source is open, so that
// its Findings can be shown.
func OpenSource(ctx context.Context, o *Options, conf *settings.Settings) (*Source, error) {
	s := &Source{}
	if err := s.open(ctx, o, conf); err != nil {
		s.Close()
		return nil, err
	}
	switch {
	case slices.ContainsFunc(s.Findings, OfPolicy):
		if o.Policy != "" {
			return s, fmt.Errorf("%s: %w", o.Policy, ErrPolicy)
		}
		return s, ErrPolicy
	case len(s.Findings) > 0 && !o.UnsafeAccount:
		return s, ErrAccount
	}
	return s, nil
}

// OfPolicy reports whether a finding is about the policy and not about the account.
func OfPolicy(f sqldb.Finding) bool {
	return f.Kind == sqldb.MissingTable || f.Kind == sqldb.MissingColumn
}

// Close closes the database. The example is deleted.
func (s *Source) Close() {
	if s.DB != nil {
		s.DB.Close()
	}
	if s.folder != "" {
		os.RemoveAll(s.folder)
	}
}

// Reopen opens the database again, with the same sessions and other limits.
func (s *Source) Reopen(opt sqldb.Options) (*sqldb.DB, error) {
	opt.Session = s.session
	return s.reader(opt)
}

// PerRequest reports whether the request decides what statements may read.
func (s *Source) PerRequest() bool { return s.request }

// IsExample reports whether the database is the example.
func (s *Source) IsExample() bool { return s.folder != "" }

func (s *Source) open(ctx context.Context, o *Options, conf *settings.Settings) error {
	dsn := cmp.Or(o.DSN, conf.Database)
	if dsn == "" {
		return s.openExample(ctx, o, conf)
	}
	var policy *secureview.Policy
	switch {
	case o.Policy == "" && !o.AllTables:
		return errors.New("nothing says what may be read: name a policy with -policy, or open every table with -all-tables " +
			"(qed-joingraph -write-policy writes a policy for review)")
	case o.Policy != "":
		var err error
		if policy, err = ReadPolicy(o.Policy); err != nil {
			return err
		}
	}
	var graph io.Reader
	if o.Graph != "" {
		f, err := os.Open(o.Graph)
		if err != nil {
			return err
		}
		defer f.Close()
		graph = f
	}
	return s.read(ctx, dsn, o, policy, graph, conf)
}

// ReadPolicy reads the policy in a file. The error names the file.
func ReadPolicy(file string) (*secureview.Policy, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	policy, err := secureview.ReadPolicy(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return policy, nil
}

func (s *Source) openExample(ctx context.Context, o *Options, conf *settings.Settings) (err error) {
	switch {
	case o.Example == nil:
		return errors.New("no database is named: set -dsn or DB_NAME")
	case o.Policy != "" || o.Graph != "":
		return errors.New("-policy and -graph need -dsn: the example has its own")
	}
	if s.folder, err = os.MkdirTemp("", "qed-example-"); err != nil {
		return err
	}
	file := filepath.Join(s.folder, "example.db")
	if err := o.Example.Create(ctx, file); err != nil {
		return err
	}
	s.noteViews(o.Example.Policy)
	err = s.read(ctx, file, o, o.Example.Policy, strings.NewReader(o.Example.Graph), conf)
	s.Name = o.Example.Name
	return err
}

// read opens the database for reading, reads its schema, checks the account, makes the
// guard, and adds the relationships of graph. A nil policy allows every table. The
// errors of a policy name its file.
func (s *Source) read(
	ctx context.Context, dsn string, o *Options, policy *secureview.Policy, graph io.Reader, conf *settings.Settings,
) error {
	file := o.Policy
	d, err := Parse(dsn)
	if err != nil {
		return err
	}
	schemas := d.Schemas
	if policy != nil {
		if policy.Schema == "" && len(schemas) > 0 {
			policy.Schema = schemas[0]
		}
		schemas = policy.SchemaNames()
	}
	s.Name, s.dialect, s.reader, s.request = d.Name, d.Dialect, d.Reader, o.Settings != nil
	s.session = Session(s.dialect.Name(), policy, conf.EncryptKey, o.Settings)
	if s.request && s.session == nil {
		return fmt.Errorf("%s: SQLite has no settings of a session, and the policy has no filters that compare one", s.Name)
	}
	if s.DB, err = s.Reopen(sqldb.Options{
		MaxRows: conf.MaxRows,
		Skipped: func(table, reason string) { s.LeftOut = append(s.LeftOut, table+": "+reason) },
	}); err != nil {
		return err
	}
	schema, err := s.DB.Introspect(ctx, schemas...)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if policy == nil {
		if len(schema.Tables) == 0 {
			return fmt.Errorf("%s: the database is empty, or the account can read none of its tables", s.Name)
		}
		if policy, err = s.policyFor(schema); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	policy.Schema = cmp.Or(policy.Schema, schema.Name)
	policy.ColumnsInMessages = cmp.Or(policy.ColumnsInMessages, conf.ColumnsInMessages)
	s.Policy = policy
	named := func(err error) error { return fmt.Errorf("%s: %w", cmp.Or(file, s.Name), err) }
	if err := s.check(ctx, policy, o.Owner); err != nil {
		if errors.Is(err, sqldb.ErrArgument) {
			return named(err)
		}
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if s.Guard, err = s.DB.Guard(ctx, policy, s.dialect); err != nil {
		return named(err)
	}
	if slices.ContainsFunc(s.Findings, OfPolicy) {
		return nil // the schema is not that of the policy
	}
	if s.Schema, err = sqldb.Readable(schema, s.Guard); err != nil {
		return named(err)
	}
	if graph != nil {
		if err := s.add(graph); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(o.Graph, "the example"), err)
		}
	}
	s.Notes = append(s.Notes,
		fmt.Sprintf("Tables: %d, relationships: %d", len(s.Schema.Tables), len(s.Schema.Relationships)))
	return nil
}

// policyFor returns the policy with every table, and notes what it leaves out.
func (s *Source) policyFor(schema *joinpath.Schema) (*secureview.Policy, error) {
	policy, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{Dialect: s.dialect.Name()})
	if err != nil {
		return nil, err
	}
	for _, o := range omitted {
		if o.Kind == sqldb.OmittedSecret {
			s.Secrets = append(s.Secrets, o.Table+"."+o.Column)
		} else {
			s.LeftOut = append(s.LeftOut, o.String())
		}
	}
	s.Notes = append(s.Notes, "-all-tables is set: every table is readable.")
	if len(s.Secrets) > 0 {
		s.Notes = append(s.Notes, "Left out as secrets: "+strings.Join(s.Secrets, ", "))
	}
	if len(s.LeftOut) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Left out: %d, such as %s (qed-joingraph -list-unused lists all)",
			len(s.LeftOut), s.LeftOut[len(s.LeftOut)-1]))
	}
	s.noteViews(policy)
	return policy, nil
}

// add adds the relationships of a graph. What names tables and columns that the policy
// does not list is counted.
func (s *Source) add(graph io.Reader) error {
	found, ignored, err := joinpath.Import(graph)
	if err != nil {
		return err
	}
	schema, unused, err := joingraph.Combine(s.Schema, joingraph.Source{Name: "graph", Schema: found})
	if err != nil {
		return err
	}
	s.Schema = schema
	if problems := slices.Concat(ignored, unused); len(problems) > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Join graph: %d entries are not used, such as %s "+
			"(qed-joingraph -list-unused lists all)", len(problems), problems[0].String()))
		for _, p := range problems {
			s.LeftOut = append(s.LeftOut, p.String())
		}
	}
	return nil
}

// check compares the account with the policy, unless it is the owner's. What is wrong
// with the account is no error; it goes to s.Findings.
func (s *Source) check(ctx context.Context, policy *secureview.Policy, owner bool) error {
	if owner {
		return nil
	}
	err := s.DB.Check(ctx, policy)
	if e, ok := errors.AsType[*sqldb.Error](err); ok && e.Kind == sqldb.ErrAccount && len(e.Findings) > 0 {
		s.Findings = e.Findings
		return nil
	}
	return err
}

// Quote returns a name as an identifier of the database's dialect.
func (s *Source) Quote(name string) string { return s.dialect.Quote(name) }

func (s *Source) noteViews(p *secureview.Policy) {
	if len(p.Views) > 0 {
		tables := slices.Sorted(maps.Keys(p.Views))
		s.Notes = append(s.Notes, "Read through secure views only: "+strings.Join(tables, ", "))
	}
}
