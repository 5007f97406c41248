package searchagent

import (
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
)

// written is the model's reply when it writes a search.
type written struct {
	Body   string   `json:"body" jsonschema:"description=the body of the search request\\, as JSON text; empty if the task cannot be done by searching"`
	Show   []string `json:"show,omitempty" jsonschema:"description=the fields that answer the question\\, the most important first"`
	Reason string   `json:"reason,omitempty" jsonschema:"description=why body is empty"`
}

// generateData is the data of the prompt for writing a search.
type generateData struct {
	Question string
	Task     string // from the plan
	Dates    dates.Facts
	One      bool // one document is looked for, which later tasks need
	PageSize int  // how many documents a search returns without a size
	Index    promptIndex
	Found    []promptTask // what the tasks found that this one needs

	Body     string           // the last body, if it cannot be used or found nothing
	Problems []string         // what is wrong with Body
	Earlier  []qed.Correction // the bodies before it that were given up, cut short
	Empty    []string         // how many documents each condition of Body alone finds, if it found nothing
}

// A promptTask is a task and what it found, in a prompt.
type promptTask struct {
	Task string
	Key  string // the name of the task in the plan, and of the table of its Figures

	Documents string // JSON, one per line: data; may be empty
	Shown     int    // the number of Documents
	Total     int64  // the number of documents that match
	Cut       bool   // long values in Documents are cut

	Figures string // as [figures.Rows] returns them: data; may be empty
	Rows    int    // the number of rows in Figures
	More    bool   // there are more rows
}

// generate starts the tasks whose needs are met, and has the model write their
// searches, and those that have to be written again.
func (a *agent) generate(ctx context.Context, s state) (state, error) {
	for i := range s.Tasks {
		if s.ready(i) {
			s.Tasks[i].Phase = drafting
			qed.Emit(ctx, qed.TaskStarted{Key: s.Tasks[i].Key, Description: s.Tasks[i].Description})
		}
	}
	results := map[string]promptTask{}
	for i := range s.Tasks {
		if t := &s.Tasks[i]; t.hasResult() && s.needed(t.Key) {
			result, _, _, err := a.describeResult(ctx, t)
			if err != nil {
				return s, err
			}
			results[t.Key] = result
		}
	}
	err := s.each(ctx, drafting, func(ctx context.Context, t task) (task, error) {
		return a.writeTask(ctx, &s, t, results)
	})
	return s, err
}

func (a *agent) writeTask(ctx context.Context, s *state, t task, results map[string]promptTask) (task, error) {
	index, err := a.describe(t.Index, s.Question+" "+t.Description, maxFields)
	if err != nil {
		return t, err
	}
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return t, err
	}
	data := generateData{
		Question: s.Question,
		Task:     t.Description,
		Dates:    facts,
		One:      t.One && s.needed(t.Key),
		PageSize: a.opt.PageSize,
		Index:    index,
		Body:     prompt.Clip(t.Draft.Query, maxBody),
		Problems: t.Draft.ProblemLines(),
		Earlier:  t.Draft.Earlier(drafts.MaxEarlier),
		Empty:    t.Why,
	}
	for _, key := range t.After {
		data.Found = append(data.Found, results[key])
		t.noteCut(s.task(key), results[key], a.reader.texts(ctx))
	}
	reply, err := modelcall.Reply[written](ctx, a.model, "generate", a.prompts["generate"], &data, s.History)
	if err != nil && !modelcall.Unusable(err) {
		return t, err
	}
	body := drafts.Bare(reply.Body)
	switch {
	case body != "" && t.Draft.Write(ctx, query.Elasticsearch, body):
		t.Show = fields(reply.Show)
		t.Phase = searching
	case err == nil && body != "":
		return t, t.giveUp(ctx, "the model wrote the same search again")
	case err == nil && reply.Reason != "":
		why := strings.TrimRight(prompt.OneLine(prompt.Clip(reply.Reason, maxReason)), ". ")
		t.Told = t.step(a.reader.texts(ctx).StepDeclined, "reason", why)
		return t, t.giveUp(ctx, "the model could not do it by searching: %s", why)
	default:
		return t, t.giveUp(ctx, "the model wrote no search")
	}
	return t, nil
}

// noteCut notes that a search is written without all that another task found.
func (t *task) noteCut(needs *task, result promptTask, texts *texts) {
	switch {
	case result.Cut:
		t.note(needs.step(texts.LongUsed))
	case result.Documents != "" && int64(result.Shown) < result.Total:
		t.note(needs.step(texts.FirstUsed, "shown", texts.number(int64(result.Shown)), "total", needs.totalText(texts)))
	}
}

// fields returns the names of fields that a model wants to show, each once.
func fields(show []string) []string {
	show = lists.Filter(show, func(name string) bool { return name != "" && len(name) <= maxField })
	names := lists.Add(nil, show...)
	return names[:min(len(names), maxShown)]
}

const (
	maxBody  = 8000
	maxShown = 20
	maxField = 512
)
