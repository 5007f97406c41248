// Package graph is the program that makes the join graph of a database: the
// relationships that it declares, those of an application's models, those that names
// and data suggest, and a person's corrections.
package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/joingraph"
	"github.com/qedkit/qed/refusal"
)

// options is the command line.
type options struct {
	where                              database.Options
	models                             files
	corrections, old, out, dot, policy string
	count, validate, unused            bool
	counts, verdicts                   string
}

// files is a flag that can be repeated.
type files []string

func (f *files) String() string        { return strings.Join(*f, ",") }
func (f *files) Set(name string) error { *f = append(*f, name); return nil }

// Run runs the program. Its report goes to out. Without an example a database has to
// be named.
func Run(ctx context.Context, args []string, out, progress io.Writer, example *database.Example) error {
	o := options{where: database.Options{Example: example, AllTables: true, Owner: true}}
	flags := flag.NewFlagSet("qed-joingraph", flag.ContinueOnError)
	o.where.Flags(flags)
	flags.Var(&o.models, "models", "`file` with the associations of an application; can be repeated")
	flags.StringVar(&o.corrections, "corrections", "", "`file` with the corrections of a person, which win over everything else")
	flags.BoolVar(&o.count, "count", false, "count matching rows in the database")
	flags.StringVar(&o.counts, "counts", "", "`file` that keeps the counts: tables that have not changed are not counted again")
	flags.BoolVar(&o.validate, "validate", false, "let the configured model judge what nobody declared")
	flags.StringVar(&o.verdicts, "verdicts", "", "`file` that keeps the model's verdicts")
	flags.BoolVar(&o.unused, "list-unused", false, "list all that was left out of the database, or that the files say about what may not be read")
	flags.StringVar(&o.old, "diff", "", "`file` with an earlier graph: print what has changed")
	flags.StringVar(&o.out, "out", "", "write the graph to this `file`")
	flags.StringVar(&o.dot, "dot", "", "write a picture in the language of Graphviz to this `file`")
	flags.StringVar(&o.policy, "write-policy", "", "write a policy with every table to this `file`, for review")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.verdicts != "" && !o.validate || o.counts != "" && !o.count {
		return errors.New("-verdicts needs -validate, and -counts needs -count")
	}
	conf, err := settings.Load(".env")
	if err != nil {
		return err
	}
	src, err := database.OpenSource(ctx, &o.where, conf)
	if src != nil {
		defer src.Close()
	}
	if err != nil {
		return err
	}
	b := &builder{o: &o, conf: conf, src: src, out: out, progress: progress, problems: src.LeftOut}
	return b.run(ctx)
}

// builder makes the graph of one database.
type builder struct {
	o        *options
	conf     *settings.Settings
	src      *database.Source
	out      io.Writer
	progress io.Writer
	problems []string // what was left out, one line each
}

func (b *builder) run(ctx context.Context) error {
	schema, err := b.graph(ctx)
	if err != nil {
		return err
	}
	if err := b.report(ctx, schema); err != nil {
		return err
	}
	if b.o.old != "" {
		if err := b.diff(schema); err != nil {
			return err
		}
	}
	return b.write(schema)
}

// graph combines the sources: the database and its models, then what is inferred
// beyond them, then what a model says, and a person last.
func (b *builder) graph(ctx context.Context) (*joinpath.Schema, error) {
	var declared []joingraph.Source
	for _, name := range b.o.models {
		s, err := b.read(name, false)
		if err != nil {
			return nil, err
		}
		declared = append(declared, s)
	}
	schema, err := b.combine(b.src.Schema, declared...)
	if err != nil {
		return nil, err
	}
	opt := &joingraph.InferOptions{}
	if b.o.count {
		opt.Database, opt.Guard = b.src.DB, b.src.Guard
		opt.Progress = b.step("counted")
		if err := readKept(b.o.counts, &opt.Counts); err != nil {
			return nil, err
		}
	}
	found, err := joingraph.Infer(ctx, schema, opt)
	if found != nil && b.o.counts != "" {
		err = cmp.Or(keep(b.o.counts, found.Counts), err)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range found.Problems {
		b.problems = append(b.problems, fmt.Sprintf("not counted: %s %s", p.Table, p.Message))
	}
	if len(found.Unsampled) > 0 {
		b.problems = append(b.problems, "not counted, because they may be personal: "+strings.Join(found.Unsampled, ", "))
	}
	inferred := &joinpath.Schema{Relationships: found.Relationships}
	schema, err = b.combine(schema, joingraph.Source{Name: "inference", Schema: inferred})
	if err != nil {
		return nil, err
	}
	if b.o.validate {
		if schema, err = b.judged(ctx, schema); err != nil {
			return nil, err
		}
	}
	if b.o.corrections == "" {
		return schema, nil
	}
	s, err := b.read(b.o.corrections, true)
	if err != nil {
		return nil, err
	}
	return b.combine(schema, s)
}

func (b *builder) combine(base *joinpath.Schema, sources ...joingraph.Source) (*joinpath.Schema, error) {
	schema, problems, err := joingraph.Combine(base, sources...)
	b.note(problems)
	return schema, err
}

// read reads a file of relationships.
func (b *builder) read(name string, manual bool) (joingraph.Source, error) {
	s := joingraph.Source{Name: filepath.Base(name), Manual: manual}
	f, err := os.Open(name)
	if err != nil {
		return s, err
	}
	defer f.Close()
	var problems []refusal.Problem
	if s.Schema, problems, err = joinpath.Import(f); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	for i := range problems {
		problems[i].Message = s.Name + ": " + problems[i].Message
	}
	b.note(problems)
	return s, nil
}

func (b *builder) note(problems []refusal.Problem) {
	for _, p := range problems {
		b.problems = append(b.problems, p.String())
	}
}

// step returns a function that shows how far a long step is, on a line for each
// twentieth of it.
func (b *builder) step(what string) func(done, all int) {
	shown := 0
	return func(done, all int) {
		if part := 20 * done / all; part > shown {
			shown = part
			fmt.Fprintf(b.progress, "%s %d of %d\n", what, done, all)
		}
	}
}

// judged returns the schema with the verdicts of the configured model.
func (b *builder) judged(ctx context.Context, schema *joinpath.Schema) (*joinpath.Schema, error) {
	model, live, err := provider.Open(b.conf)
	if err != nil {
		return nil, err
	}
	if !live {
		return nil, fmt.Errorf("-validate: %w", settings.ErrNoModel)
	}
	opt := &joingraph.ValidateOptions{Progress: b.step("judged")}
	if b.o.verdicts != "" {
		if err := readKept(b.o.verdicts, &opt.Known); err != nil {
			return nil, err
		}
		opt.Save = func(all []joingraph.Verdict) error { return keep(b.o.verdicts, all) }
	}
	verdicts, problems, err := joingraph.Validate(ctx, model, schema, opt)
	b.note(problems)
	if err != nil {
		return nil, err
	}
	return joingraph.Apply(schema, verdicts), nil
}

// readKept reads a file that keep has written. A file that is not there yet, or has no
// name, is empty.
func readKept(name string, into any) error {
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// keep writes a value as JSON.
func keep(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return replace(name, append(text, '\n'))
}

// diff prints what has changed since an earlier graph.
func (b *builder) diff(schema *joinpath.Schema) error {
	old, err := b.read(b.o.old, false)
	if err != nil {
		return err
	}
	changes := joingraph.Diff(old.Schema, schema)
	fmt.Fprintf(b.out, "\nChanges since %s: %d\n", old.Name, len(changes))
	for _, c := range changes {
		fmt.Fprintln(b.out, " ", command.Visible(c))
	}
	return nil
}

// write writes the files that the command line names.
func (b *builder) write(schema *joinpath.Schema) error {
	if b.o.out != "" {
		var text strings.Builder
		if err := schema.Write(&text); err != nil {
			return err
		}
		if err := b.wrote(replace(b.o.out, []byte(text.String())), "the graph", b.o.out); err != nil {
			return err
		}
	}
	if b.o.dot != "" {
		graph, err := joinpath.New(schema, nil)
		if err != nil {
			return err
		}
		var text strings.Builder
		if err := graph.DOT(&text); err != nil {
			return err
		}
		if err := b.wrote(replace(b.o.dot, []byte(text.String())), "the picture", b.o.dot); err != nil {
			return err
		}
	}
	if b.o.policy == "" {
		return nil
	}
	if len(b.src.Secrets) > 0 {
		fmt.Fprintln(b.out, "\nLeft out of the policy as secrets:", command.Visible(strings.Join(b.src.Secrets, ", ")))
	}
	return b.wrote(keep(b.o.policy, b.src.Policy), "a policy for review", b.o.policy)
}

// wrote prints which file was written, unless err is an error.
func (b *builder) wrote(err error, what, name string) error {
	if err == nil {
		fmt.Fprintf(b.out, "Wrote %s to %s\n", what, command.Visible(name))
	}
	return err
}

// replace writes a file in one step: a reader never sees half of it.
func replace(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
