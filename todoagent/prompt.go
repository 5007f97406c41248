package todoagent

import (
	"embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/schema"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// classifyData is the data of the prompt that reads a message.
type classifyData struct {
	Message string
	Request string      // the request of the open plan; empty: no plan is open
	Plan    []knownTodo // its tasks
	Known   known
	Problem string // why the last reply could not be used; empty the first time
}

func (d *classifyData) ShrinkRows() bool { return d.Known.shrink() }
func (d *rewriteData) ShrinkRows() bool  { return d.Known.shrink() }
func (d *planData) ShrinkRows() bool     { return d.Known.shrink() }

// shrink leaves out a part of the memory.
func (k *known) shrink() bool {
	return modelcall.Halve(&k.Turns, 0) || modelcall.Halve(&k.Entities, 0) || older(&k.Entries) || older(&k.Queries)
}

// older leaves out the older half of a list.
func older[T any](list *[]T) bool {
	n := len(*list)
	*list = (*list)[(n+1)/2:]
	return n > 0
}

// knownTodo is a [qed.Todo] in a prompt.
type knownTodo struct {
	Key, Description, Tool, Arguments, Problem string
	Status                                     qed.TodoStatus
	Current                                    bool // the next task to run
}

type rewriteData struct {
	Message  string
	Language string      // of the answer, such as "de"; empty: that of the request
	Before   string      // the request that it changes or is about; empty: none
	Dates    dates.Facts // today and the calendar
	Known    known
}

type planData struct {
	Question string // the rewritten request
	Request  string // the user's message
	Before   string // the request that it changes or is about; empty: none
	Dates    string // today, and the calendar if the request was not rewritten with days
	MaxTodos int
	Language string // of the answer, such as "de"; empty: that of the request
	Tools    []knownTool
	Runs     map[string]bool // the languages of the queries that tools run
	Known    known
	Problem  string // why the last plan could not be used; empty the first time
	Hint     string // the user's reply to Problem; empty: none
}

// knownTool is a [qed.Tool] in a prompt. Its texts are the host's own.
type knownTool struct {
	Name, Description, Language, Input string
	Returns                            []string // the members of its result; nil: not known
	Interrupts                         bool
}

const maxShownArguments = 1000 // bytes

// proofs are the members of results that are for the answer and not for later tasks.
var proofs = []string{"artifacts", "citations", "dates", "figures", "partial", "queries", "query_metadata", "unproved", "used"}

// plainName matches a member's name that a prompt can have unquoted.
var plainName = regexp.MustCompile(`^[\w$.-]{1,100}$`)

// shown returns the tasks for a prompt.
func (l *plan) shown() []knownTodo {
	tasks := make([]knownTodo, len(l.Tasks))
	for i, t := range l.Tasks {
		tasks[i] = knownTodo{
			Key: t.Key, Description: t.Description, Tool: t.Tool,
			Arguments: prompt.Clip(string(t.Arguments), maxShownArguments),
			Problem:   prompt.Clip(t.Problem, maxKnownText),
			Status:    t.Status, Current: t.Key == l.Current,
		}
	}
	return tasks
}

// shownTools returns the tools for a prompt, in the registry's order.
func (a *agent) shownTools() []knownTool {
	tools := make([]knownTool, len(a.names))
	said := map[string]bool{}
	for i, name := range a.names {
		t := a.planTools[name]
		left := func(member string) bool { return !plainName.MatchString(member) || slices.Contains(proofs, member) }
		returns := slices.DeleteFunc(slices.Clone(t.returns), left)
		if len(returns) > maxMembers {
			returns = nil // the whole result is given to other tasks
		}
		tools[i] = knownTool{
			Name: name, Description: once(t.Description, ". ", said), Language: t.Language, Input: form(t.Input, said),
			Returns: returns, Interrupts: t.Interrupts,
		}
	}
	return tools
}

// form returns the arguments of a tool for a prompt. Rows are always those of an earlier
// task, so nobody writes their members.
func form(input json.RawMessage, said map[string]bool) string {
	text := strings.ReplaceAll(schema.Brief(input), rowsForm(), "rows")
	text = rowsComment.ReplaceAllString(text, "rows")
	return comment.ReplaceAllStringFunc(text, func(c string) string {
		if c = once(comment.FindStringSubmatch(c)[1], "; ", said); c == "" {
			return ""
		}
		return " /* " + c + " */"
	})
}

// once returns a text without its parts that were said before, such as what a source holds.
func once(text, between string, said map[string]bool) string {
	parts := slices.DeleteFunc(strings.Split(text, between), func(part string) bool {
		part = strings.TrimSuffix(part, ".")
		repeated := said[part] && len(part) >= longPart
		said[part] = true
		return repeated
	})
	return strings.Join(parts, between)
}

const (
	longPart   = 30 // bytes of a part of a text that is not repeated
	maxMembers = 8  // of a result that are listed
)

var (
	comment     = regexp.MustCompile(` /\* (.*?) \*/`)
	rowsComment = regexp.MustCompile(`\brows /\* .*? \*/`)
)

var rowsForm = sync.OnceValue(func() string {
	s, err := schema.For[finding.RowsRef]()
	if err != nil {
		panic(err) // not reached: the type has a schema
	}
	return schema.Brief(s.JSON())
})

// languages returns the languages of the queries that tools run.
func (a *agent) languages() map[string]bool {
	runs := map[string]bool{}
	for _, t := range a.planTools {
		if t.Language != "" {
			runs[t.Language] = true
		}
	}
	return runs
}
