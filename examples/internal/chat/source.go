package chat

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

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/examples/fieldservice"
	"github.com/qedkit/qed/examples/internal/database"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// Source is the database that is asked: opened for reading, described, guarded.
type Source struct {
	Name     string
	Notes    []string        // what a person should know of it
	Findings []sqldb.Finding // what is wrong with the account

	DB     *sqldb.DB
	Guard  *secureview.Guard
	Schema *joinpath.Schema

	dialect dialect.Dialect
	in      string // the schema of the policy's tables
	folder  string // removed at the end; empty: none
}

// Close closes the database, and removes it where it is the example company's.
func (s *Source) Close() {
	if s.DB != nil {
		s.DB.Close()
	}
	if s.folder != "" {
		os.RemoveAll(s.folder)
	}
}

// IsExample reports whether it is the example company's.
func (s *Source) IsExample() bool { return s.folder != "" }

// Where says what to open, and how.
type Where struct {
	DSN, Policy, Graph string // empty: the example company's
	EncryptKey         string // what secure views decrypt with; empty: nothing
	ColumnsInMessages  int    // 0: the guard's default

	// UnsafeAccount goes on with an account of which there are Findings.
	UnsafeAccount bool
}

// Flags defines the flags that say where.
func (w *Where) Flags(flags *flag.FlagSet) {
	flags.StringVar(&w.DSN, "dsn", "", "your own `database`: the path of an SQLite file, mysql://.. or postgres://..; without it, that of DB_NAME, or the example company")
	flags.StringVar(&w.Policy, "policy", "", "`file` of the policy for -dsn: what may be read, and through which views")
	flags.StringVar(&w.Graph, "graph", "", "`file` of relationships that the database does not declare, for -dsn")
	flags.BoolVar(&w.UnsafeAccount, "unsafe-account", false, "go on with an account that may do more than read what the policy lists")
}

// Complete takes from the settings what the flags leave open.
func (w *Where) Complete(conf *settings.Settings) error {
	w.DSN = cmp.Or(w.DSN, conf.Database)
	if w.DSN == "" && (w.Policy != "" || w.Graph != "") {
		return errors.New("-policy and -graph go with -dsn: the example company has its own")
	}
	w.EncryptKey, w.ColumnsInMessages = conf.EncryptKey, conf.ColumnsInMessages
	return nil
}

// ErrAccount says that the account of a database is not as it should be.
var ErrAccount = errors.New("the account is not as it should be, as shown above: rather than take rights from one that others need, " +
	"make one that can only read what the policy lists (examples/secureviews does); or go on with -unsafe-account")

// Open opens the user's own database, or makes the example company's.
func Open(ctx context.Context, w Where) (_ *Source, err error) {
	s := &Source{}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	var manual io.Reader
	var policy *secureview.Policy
	dsn := w.DSN
	if dsn == "" {
		if s.folder, err = os.MkdirTemp("", "qed-example-"); err != nil {
			return nil, err
		}
		dsn = filepath.Join(s.folder, "fieldservice.db")
		if err := fieldservice.Create(ctx, dsn); err != nil {
			return nil, err
		}
		manual, policy = strings.NewReader(fieldservice.ManualGraph), fieldservice.Policy("sqlite", "main")
	} else {
		if policy, err = readPolicy(w.Policy); err != nil {
			return nil, err
		}
		if w.Graph != "" {
			f, err := os.Open(w.Graph)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			manual = f
		}
	}
	named, err := database.Parse(dsn)
	if err != nil {
		return nil, err
	}
	s.Name, s.dialect, s.in = named.Name, named.Dialect, named.Schema
	if w.DSN == "" {
		s.Name = "A field-service company in SQLite"
		s.Notes = append(s.Notes, "Read through secure views only: "+strings.Join(slices.Sorted(maps.Keys(policy.Views)), ", "))
	}
	opt := sqldb.Options{Session: database.Session(s.dialect.Name(), policy, w.EncryptKey, nil)}
	if s.DB, err = named.Reader(opt); err != nil {
		return nil, err
	}
	if err := s.describe(ctx, manual, policy, w.ColumnsInMessages); err != nil {
		return nil, err
	}
	return s, nil
}

func readPolicy(file string) (*secureview.Policy, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return secureview.ReadPolicy(f)
}

// describe reads the database's own description, lays the manual relationships
// over it, and puts the guard before it.
func (s *Source) describe(ctx context.Context, manual io.Reader, policy *secureview.Policy, columnsInMessages int) error {
	var err error
	if s.Schema, err = s.DB.Introspect(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if policy == nil {
		if len(s.Schema.Tables) == 0 {
			return fmt.Errorf("%s: the database is empty, or shows this account nothing", s.Name)
		}
		policy = s.everything()
	}
	policy.Schema = cmp.Or(policy.Schema, s.in)
	if err := s.DB.Check(ctx, policy); err != nil && !s.found(err) {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	if manual != nil {
		corrections, err := joinpath.Read(manual)
		if err != nil {
			return err
		}
		if s.Schema, err = joinpath.Merge(s.Schema, corrections); err != nil {
			return err
		}
	}
	policy.ColumnsInMessages = cmp.Or(policy.ColumnsInMessages, columnsInMessages)
	if s.Guard, err = secureview.New(policy, s.dialect); err != nil {
		return err
	}
	s.Notes = append(s.Notes, count(len(s.Guard.Tables()), "table")+", "+count(len(s.Schema.Relationships), "relationship"))
	return nil
}

// found keeps what a check finds wrong with the account, and reports whether it
// found something.
func (s *Source) found(err error) bool {
	var e *sqldb.Error
	if !errors.As(err, &e) || e.Kind != sqldb.ErrAccount || len(e.Findings) == 0 {
		return false
	}
	s.Findings = e.Findings
	return true
}

// everything is the policy that lets every table and column be read; a table
// that a secure view is named after, through the view.
func (s *Source) everything() *secureview.Policy {
	p := &secureview.Policy{Dialect: s.dialect.Name(), Schema: s.in, Tables: map[string][]string{}, Views: map[string]string{}}
	for name, t := range s.Schema.Tables {
		p.Tables[name] = t.Columns
		view := secureview.DefaultViewPrefix + strings.ToLower(name)
		if _, ok := s.Schema.Tables[view]; ok {
			p.Views[name] = view
		}
	}
	s.Notes = append(s.Notes, "No -policy is given: every table is readable.")
	if len(p.Views) > 0 {
		s.Notes = append(s.Notes, "Read through secure views only: "+strings.Join(slices.Sorted(maps.Keys(p.Views)), ", "))
	}
	return p
}
