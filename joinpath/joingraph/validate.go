package joingraph

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/refusal"
)

// ValidateOptions are the options of [Validate]. Nil and zero fields mean the
// defaults.
type ValidateOptions struct {
	llm.Settings

	// Known are verdicts of an earlier call. Relationships that they still apply
	// to are not sent to the model again.
	Known []Verdict

	// Save is called after each batch with all verdicts so far, those of Known
	// included, so that a stopped validation can go on. It is not called
	// concurrently. An error of Save ends the validation. Nil saves nothing.
	Save func([]Verdict) error

	// Progress is called after each batch with the number of relationships that
	// were sent so far, and of those that are to be sent. It may be nil.
	Progress func(done, planned int)

	// Batch is how many relationships one call of the model judges. 0 means 20.
	Batch int

	// Concurrency is how many calls of the model run at the same time. 0 means 4.
	Concurrency int
}

// Validate asks a model about the relationships of a schema that neither the
// database declares nor a person has written. It sends names, types, keys,
// comments and evidence, and no rows. [Apply] puts the verdicts into the schema.
//
// The model can lower or raise a confidence, drop a relationship, and name its
// role; it cannot add one. These replies are not used, and are reported as problems:
//
//   - a reply about a relationship that the model was not asked about
//   - a second reply about the same relationship
//
// A relationship without a usable reply is a problem too. The next call asks about
// it again.
//
// The verdicts are in the order of the schema's relationships. They are returned
// with an error as well: it is that of the model, of Save or of ctx.
func Validate(
	ctx context.Context, m llm.Model, s *joinpath.Schema, opt *ValidateOptions,
) ([]Verdict, []refusal.Problem, error) {
	v, err := newValidation(m, s, opt)
	if err != nil {
		return nil, nil, err
	}
	open := lists.Filter(v.claims, func(c claim) bool {
		_, ok := v.verdicts[c.basis]
		return !ok
	})
	v.all = len(open)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots := make(chan struct{}, v.opt.Concurrency)
	var group sync.WaitGroup
	for batch := range slices.Chunk(open, v.opt.Batch) {
		if !take(ctx, slots) {
			break
		}
		group.Go(func() {
			defer func() { <-slots }()
			if err := v.judge(ctx, batch); err != nil {
				v.fail(err)
				cancel()
			}
		})
	}
	group.Wait()
	return v.found(), v.problems, cmp.Or(v.err, ctx.Err())
}

// take waits for a slot. It reports whether it got one before ctx was done.
func take(ctx context.Context, slots chan<- struct{}) bool {
	select {
	case slots <- struct{}{}:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// A claim is a relationship that the model is asked about.
type claim struct {
	joinpath.Relationship
	basis string
}

type validation struct {
	model  *modelcall.Model
	schema *joinpath.Schema
	opt    ValidateOptions
	claims []claim
	all    int // how many claims are sent

	mu       sync.Mutex
	verdicts map[string]Verdict // by basis
	problems []refusal.Problem
	done     int
	err      error
}

func newValidation(m llm.Model, s *joinpath.Schema, opt *ValidateOptions) (*validation, error) {
	v := &validation{schema: s, opt: option.Of(opt)}
	if m == nil {
		return nil, errors.New("joingraph: Validate needs a model")
	}
	if _, err := joinpath.New(s, nil); err != nil {
		return nil, err
	}
	err := errors.Join(
		option.Default("joingraph: ValidateOptions.Batch", &v.opt.Batch, 20),
		option.Default("joingraph: ValidateOptions.Concurrency", &v.opt.Concurrency, 4))
	if err != nil {
		return nil, err
	}
	own := func(m llm.Model) llm.Model { return m }
	if v.model, err = modelcall.New("joingraph", m, v.opt.Settings, own); err != nil {
		return nil, err
	}
	v.verdicts = byBasis(v.opt.Known)
	for _, r := range s.Relationships {
		if judged(r) {
			v.claims = append(v.claims, claim{r, basis(s, r)})
		}
	}
	return v, nil
}

func (v *validation) fail(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.err = cmp.Or(v.err, err)
}

// found returns the verdicts in the order of the claims.
func (v *validation) found() []Verdict {
	var out []Verdict
	for _, c := range v.claims {
		if verdict, ok := v.verdicts[c.basis]; ok {
			out = append(out, verdict)
		}
	}
	return out
}

//go:embed prompts
var prompts embed.FS

var validatePrompt = promptset.Parse(prompts, "validate.tmpl")

// review is the reply of the model.
type review struct {
	Verdicts []struct {
		ID         int     `json:"id" jsonschema_description:"the number of the join"`
		Confidence float64 `json:"confidence" jsonschema:"minimum=0,maximum=1" jsonschema_description:"the probability that the join is right; 0 if it is wrong"`
		Role       string  `json:"role,omitempty" jsonschema_description:"what the joined row is to the other, in a few words, if the column says so"`
		Reason     string  `json:"reason" jsonschema_description:"one sentence why"`
	} `json:"verdicts"`
}

// judge asks about one batch. Only a model that cannot be asked is an error.
func (v *validation) judge(ctx context.Context, batch []claim) error {
	text, err := v.model.Render("validate_joins", validatePrompt, v.promptData(batch))
	if err != nil {
		return err
	}
	req := v.model.Send("validate_joins", llm.Message{Role: llm.RoleUser, Content: text})
	var mode llm.FormatMode
	if v.opt.JSONMode {
		mode = llm.JSONMode
	}
	said, resp, err := llm.GenerateObject[review](ctx, v.model.Model, req, &llm.ObjectOptions{Mode: mode})
	if err != nil && !modelcall.Unusable(err) {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.report(batch[0].String(), "the model gave no verdict that can be used about this and the next %d joins: %v", len(batch)-1, err)
	} else {
		v.take(batch, said, resp.Model)
	}
	v.done += len(batch)
	if v.opt.Progress != nil {
		v.opt.Progress(v.done, v.all)
	}
	if v.opt.Save != nil && v.err == nil {
		return v.opt.Save(v.found())
	}
	return nil
}

// take adds the verdicts about a batch that can be used.
func (v *validation) take(batch []claim, said review, model string) {
	count := map[int]int{}
	for _, verdict := range said.Verdicts {
		count[verdict.ID]++
	}
	for _, verdict := range said.Verdicts {
		if verdict.ID < 1 || verdict.ID > len(batch) {
			v.report("", "the model spoke about a join %d that it was not asked about", verdict.ID)
			continue
		}
		if count[verdict.ID] > 1 {
			continue
		}
		c := batch[verdict.ID-1]
		v.verdicts[c.basis] = Verdict{
			Join:       c.String(),
			Basis:      c.basis,
			Confidence: min(verdict.Confidence, maxModelConfidence),
			Role:       plain(verdict.Role, 60),
			Reason:     plain(verdict.Reason, 300),
			Model:      plain(model, 60),
		}
	}
	for i, c := range batch {
		switch {
		case count[i+1] == 0:
			v.report(c.String(), "the model gave no verdict")
		case count[i+1] > 1:
			v.report(c.String(), "the model gave several verdicts: none is used")
		}
	}
}

func (v *validation) report(name, format string, args ...any) {
	v.problems = append(v.problems, refusal.Problem{Code: joinpath.ErrJoin, Name: name, Message: fmt.Sprintf(format, args...)})
}

// plain returns what a model wrote as one short line.
func plain(text string, most int) string {
	return prompt.Clip(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " "), most)
}

const maxPromptColumns = 40

type promptTable struct {
	Name, Comment string
	Columns       []promptColumn
	More          int // columns that are not listed
}

type promptColumn struct {
	Name, Type, Comment string
	Key                 bool
}

type promptJoin struct {
	ID         int
	From, To   string
	Confidence float64
	Evidence   []string
}

type promptData struct {
	Tables []promptTable
	Joins  []promptJoin
}

func (v *validation) promptData(batch []claim) promptData {
	var data promptData
	used := map[string][]string{} // columns of the joins, by table
	for i, c := range batch {
		from, to := c.Columns()
		used[c.FromTable] = lists.Add(used[c.FromTable], from...)
		used[c.ToTable] = lists.Add(used[c.ToTable], to...)
		left, right, _ := strings.Cut(c.String(), " -> ")
		data.Joins = append(data.Joins, promptJoin{i + 1, left, right, c.Confidence, c.Evidence})
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		t, needed := v.schema.Tables[name], used[name]
		shown := promptTable{Name: name, Comment: t.Comment}
		listed := lists.Add(needed, t.Columns...)
		if len(listed) > maxPromptColumns {
			shown.More = len(listed) - max(maxPromptColumns, len(needed))
			listed = listed[:len(listed)-shown.More]
		}
		for _, column := range listed {
			shown.Columns = append(shown.Columns, promptColumn{
				Name: column, Type: t.Types[column], Comment: t.ColumnComments[column],
				Key: slices.Contains(t.UniqueColumns, column) || slices.Equal(t.PrimaryKey, []string{column}),
			})
		}
		data.Tables = append(data.Tables, shown)
	}
	return data
}
