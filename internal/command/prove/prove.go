// Package prove is the program that checks joins and aggregates of SQL statements with
// package sqlproof.
package prove

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/lines"
	"github.com/qedkit/qed/internal/command/sqlguard"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqlproof"
	"github.com/qedkit/qed/sqlproof/proof"
)

const usage = `Usage: qed-prove -policy file [-schema file] [-dsn database] [-sarif] [-fail] [file or folder ...]

Without files, each line of the input is a JSON object {"id": .., "sql": ".."}. Its answer is
{"id": .., "ok": true, "sql": "..", "joins": [..], "aggregates": [..], "findings": [..]}.`

// An Answer is a line of the output.
type Answer struct {
	ID  json.RawMessage `json:"id"`
	OK  bool            `json:"ok"`
	SQL string          `json:"sql,omitempty"`
	proof.Report

	source string
}

// Run runs the program and returns its exit status. dialects are those that a policy may
// name.
func Run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer, dialects map[string]dialect.Dialect) int {
	p := lines.Program{
		Flags: flag.NewFlagSet("qed-prove", flag.ContinueOnError), Usage: usage, Input: "statements", Needed: "policy",
		Read: statements,
	}
	var policy, schema, dsn string
	p.Rules = &policy
	command.Once(p.Flags, &policy, "policy", "the policy, a JSON `file`")
	command.Once(p.Flags, &schema, "schema", "the tables with their keys and relationships, a JSON `file`")
	command.Once(p.Flags, &dsn, "dsn", "a `database` whose declared keys and relationships count: a URL, or an SQLite file")
	sarif := p.Flags.Bool("sarif", false, "write one report in the form of SARIF 2.1.0")
	var all []Answer
	p.Open = func() (func(lines.Line) (any, bool), error) {
		guard, err := sqlguard.NewGuard(policy, dialects)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", policy, err)
		}
		s, err := open(ctx, schema, dsn)
		if err != nil {
			return nil, err
		}
		prover := sqlproof.New(s)
		return func(line lines.Line) (any, bool) {
			a := answerTo(ctx, guard, prover, line)
			if *sarif {
				all = append(all, a)
			}
			return a, !a.OK
		}, nil
	}
	p.Write = func(out io.Writer) (io.Writer, func() error) {
		if !*sarif {
			return out, func() error { return nil }
		}
		return io.Discard, func() error { return writeSARIF(out, all) }
	}
	return p.Run(ctx, args, in, out, errs)
}

// open returns the schema of a file, of a database, or of both. Keys that the database
// declares win over those of the file.
func open(ctx context.Context, file, dsn string) (*joinpath.Schema, error) {
	if file == "" && dsn == "" {
		return nil, errors.New("-schema is missing: name the JSON file with the tables, as qed-joingraph -out writes it, or a database with -dsn")
	}
	s := &joinpath.Schema{}
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if s, err = joinpath.Read(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if dsn == "" {
		return s, nil
	}
	d, err := database.Parse(dsn)
	if err != nil {
		return nil, err
	}
	db, err := d.Reader(sqldb.Options{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	declared, err := db.Introspect(ctx, d.Schemas...)
	if err != nil {
		return nil, err
	}
	return joined(s, declared), nil
}

// joined adds the relationships of a file to the tables of a database.
func joined(file, declared *joinpath.Schema) *joinpath.Schema {
	for name, t := range file.Tables {
		if _, ok := declared.Tables[name]; !ok {
			declared.Tables[name] = t
		}
	}
	for _, r := range file.Relationships {
		// What is unique says the database.
		r.Cardinality = ""
		declared.Relationships = append(declared.Relationships, r)
	}
	return declared
}

func answerTo(ctx context.Context, guard *secureview.Guard, prover *sqlproof.Prover, line lines.Line) Answer {
	rewritten, stmt := sqlguard.Rewrite(ctx, guard, line)
	a := Answer{ID: rewritten.ID}
	if stmt == nil {
		problems := rewritten.Refused
		if problems == nil { // the line cannot be read
			problems = []refusal.Problem{{Code: refusal.Code(rewritten.Code), Message: rewritten.Message}}
		}
		a.source = rewritten.Source
		a.Report = sqlproof.Refused(a.source, problems)
		return a
	}
	a.SQL, a.source = stmt.SQL(), stmt.Source()
	a.Report = *prover.Check(stmt)
	a.OK = a.Report.OK()
	return a
}
