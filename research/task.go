package research

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research/references"
)

// A taskRun is a task that runs, on one goroutine. It does not change the state.
type taskRun struct {
	*agent
	s     *state
	todo  qed.Todo
	texts *texts
	out   outcome

	seenReferences map[string]bool
	seenChunks     map[string]bool
	stale          map[string]int // searches that found a document and nothing new
}

// taskData is the data of the prompts about a task.
type taskData struct {
	Question, Task, Query, Language string
	Tasks, Queries                  []string
	Findings                        []shown
	MoreTasks                       int // that may be added
}

func (d *taskData) ShrinkRows() bool { return modelcall.Halve(&d.Findings, 0) }

func (r *taskRun) data(findings []finding) *taskData {
	d := &taskData{
		Question: r.s.Question, Task: r.todo.Description, Query: queryOf(&r.todo), Language: r.s.language(),
		Queries: r.out.report.Queries, MoreTasks: max(0, r.opt.MaxTasks-len(r.s.Plan.Tasks)),
	}
	d.Tasks = append(d.Tasks, lists.Map(r.s.Plan.Tasks, func(t qed.Todo) string { return t.Description })...)
	for _, f := range best(findings)[:min(len(findings), maxTaskFindings)] {
		d.Findings = append(d.Findings, shown{Title: f.Chunk.Citation().Title, Text: f.Text})
	}
	return d
}

const maxTaskFindings = 15 // in a prompt about the task

// run searches, reads and follows references until the task ends.
func (r *taskRun) run(ctx context.Context) error {
	report := &r.out.report
	query, err := r.firstQuery(ctx)
	for err == nil && report.Ended == "" {
		report.Iterations++
		report.Queries = append(report.Queries, query)
		if err = r.iterate(ctx, query); err != nil || report.Ended != "" {
			break
		}
		query, err = r.assess(ctx)
	}
	return err
}

// firstQuery returns the query of the task. If it depends on other tasks, the model
// writes it anew with what these found.
func (r *taskRun) firstQuery(ctx context.Context) (string, error) {
	query := queryOf(&r.todo)
	earlier := lists.Filter(r.s.Findings, func(f finding) bool { return slices.Contains(r.todo.After, f.Task) })
	if len(earlier) == 0 {
		return query, nil
	}
	reply, err := modelcall.Reply[arguments](ctx, r.model, "refine_query", refinePrompt, r.data(earlier), nil)
	if err != nil && !useless(err) {
		return "", err
	}
	if refined := tidy(reply.Query, maxQuery); refined != "" {
		query = refined
	}
	return query, nil
}

// useless reports whether a request led to nothing that can be used, so that the
// task continues without it.
func useless(err error) bool {
	return modelcall.Unusable(err) || errors.Is(err, llm.ErrContextLength) || errors.Is(err, llm.ErrBadRequest)
}

// iterate searches with a query, reads what it finds, and follows the references in
// it.
func (r *taskRun) iterate(ctx context.Context, query string) error {
	hits, problem, err := r.search(ctx, r.s.Request, rag.Query{Text: query, K: r.opt.TopK})
	if err != nil {
		return err
	}
	if problem != "" {
		r.failed(usertext.Fill(r.texts.SearchFailed, "query", query), problem)
		if r.out.report.Iterations == 1 {
			r.out.report.Ended = TaskFailed
		}
		return nil
	}
	level, err := r.read(ctx, hits, 0, false)
	for depth := 0; err == nil && len(level) > 0; depth++ {
		level, err = r.followAll(ctx, level, depth)
	}
	return err
}

// condenseData is the data of the prompt that condenses a passage.
type condenseData struct{ Question, Task, Title, Text, Language string }

// condensed is the model's reply to that prompt.
type condensed struct {
	Relevant   string             `json:"relevant"`
	Score      float64            `json:"score" jsonschema:"minimum=0,maximum=1"`
	References []references.Claim `json:"references"`
}

// read condenses the passages that a search found, and adds those that are relevant
// to the findings. It returns them. Passages that the task knows are left out.
func (r *taskRun) read(ctx context.Context, hits []rag.Hit, depth int, web bool) ([]finding, error) {
	var all []finding
	fresh, documents := false, map[string]bool{}
	for _, h := range hits {
		documents[h.Chunk.Document] = true
		if r.seenChunks[id(h.Chunk)] {
			continue
		}
		r.seenChunks[id(h.Chunk)], fresh = true, true
		f, err := r.condense(ctx, h.Chunk)
		if err != nil {
			r.keep(all, depth)
			return nil, err
		}
		if f != nil {
			f.Depth, f.Web = depth, web
			all = append(all, *f)
		}
		report := &r.out.report
		report.Depth = max(report.Depth, depth)
		report.Documents = lists.Add(report.Documents, h.Chunk.Document)
		r.progress(ctx, depth, h.Chunk, relevant(all, minRelevance, r.least(depth)))
	}
	kept := r.keep(all, depth)
	for d := range documents {
		if !fresh {
			r.stale[d]++
		}
		if r.stale[d] >= r.opt.MaxSameDocument {
			r.out.report.Ended = TaskConvergence
		}
	}
	return kept, nil
}

// least returns how many passages a search adds at least: references add none below
// the limit.
func (r *taskRun) least(depth int) int {
	if depth > 0 {
		return 0
	}
	return r.opt.MinPassages
}

// keep adds the relevant ones of what a search found to the findings.
func (r *taskRun) keep(all []finding, depth int) []finding {
	kept := relevant(all, minRelevance, r.least(depth))
	r.out.findings = append(r.out.findings, kept...)
	return kept
}

// relevant returns the findings whose score is at least the given one, and if these
// are fewer than least, the best others. Their order stays.
func relevant(all []finding, score float64, least int) []finding {
	ranked := lists.Indexes(len(all))
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(all[j].Score, all[i].Score) })
	ranked = slices.DeleteFunc(ranked, func(i int) bool {
		enough := least <= 0
		least--
		return all[i].Score < score && (enough || all[i].Score <= 0)
	})
	slices.Sort(ranked)
	return lists.Map(ranked, func(i int) finding { return all[i] })
}

// condense returns what a passage says about the task, or nil if that is nothing.
func (r *taskRun) condense(ctx context.Context, c rag.Chunk) (*finding, error) {
	title := c.Citation().Title
	data := condenseData{
		Question: r.s.Question, Task: r.todo.Description, Title: title, Text: c.Text, Language: r.s.language(),
	}
	reply, err := modelcall.Reply[condensed](ctx, r.model, "condense_passage", condensePrompt, data, nil)
	switch {
	case err != nil && useless(err):
		r.failed(usertext.Fill(r.texts.NotRead, "document", title), err.Error())
		return nil, nil
	case err != nil:
		return nil, err
	}
	text := prompt.Clip(strings.TrimSpace(reply.Relevant), maxCondensed)
	if text == "" {
		return nil, nil
	}
	located, _ := references.Locate(c.Text, reply.References)
	detected := references.Merge(references.Find(c.Text), located)
	detected = slices.DeleteFunc(detected, func(ref references.Reference) bool { return isHeading(c.Text, ref) })
	return &finding{Task: r.todo.Key, Chunk: c, Text: text, Score: reply.Score, References: detected}, nil
}

// isHeading reports whether a detected reference is a heading of the text itself: the
// number of a section at the beginning of a line, or a title that is a whole line.
func isHeading(text string, ref references.Reference) bool {
	before := text[strings.LastIndexByte(text[:ref.From], '\n')+1 : ref.From]
	after, _, _ := strings.Cut(text[ref.To:], "\n")
	const markup = "#*_ \t"
	number := ref.Kind == references.Section && ref.Target == ""
	return strings.Trim(before, markup) == "" && (number || strings.Trim(after, markup) == "")
}

// assessed is the model's reply to the prompt that judges a task.
type assessed struct {
	Done  bool          `json:"done"`
	Gaps  []string      `json:"gaps,omitempty"`
	Query string        `json:"query,omitempty"`
	Tasks []furtherTask `json:"tasks,omitempty"`
}

type furtherTask struct {
	Description string `json:"description"`
	Query       string `json:"query"`
}

// assess judges the task after an iteration, and returns the next query. Without one
// the task has ended.
func (r *taskRun) assess(ctx context.Context) (string, error) {
	report := &r.out.report
	reply, err := modelcall.Reply[assessed](ctx, r.model, "assess_task", assessPrompt, r.data(r.out.findings), nil)
	if err != nil && !useless(err) {
		return "", err
	}
	report.Gaps = clipped(reply.Gaps, 10, maxNote)
	r.out.further = append(r.out.further, reply.Tasks[:min(len(reply.Tasks), r.opt.MaxTasks)]...)
	query := tidy(reply.Query, maxQuery)
	known := func(q string) bool { return strings.EqualFold(q, query) }
	switch {
	case err == nil && reply.Done:
		report.Ended, report.Gaps = TaskDone, nil
	case report.Iterations >= r.opt.MaxIterations:
		report.Ended = TaskIterations
	case query == "", slices.ContainsFunc(report.Queries, known):
		report.Ended = TaskNoQuery
	}
	return query, nil
}
