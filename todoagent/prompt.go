package todoagent

import (
	"embed"
	"regexp"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/prompt"
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

// knownTodo is a [qed.Todo] in a prompt.
type knownTodo struct {
	Key, Description, Tool, Arguments, Problem string
	Status                                     qed.TodoStatus
	Current                                    bool // the next task to run
}

// rewriteData is the data of the prompt that rewrites a request.
type rewriteData struct {
	Message  string
	Language string      // of the answer, such as "de"; empty: that of the request
	Before   string      // the request that it changes or is about; empty: none
	Dates    dates.Facts // today and the calendar
	Known    known
}

// planData is the data of the prompt that makes a plan.
type planData struct {
	Question string // the rewritten request
	Request  string // the user's message
	Before   string // the request that it changes or is about; empty: none
	Dates    dates.Facts
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
	Kind                               qed.ToolKind
	Interrupts                         bool
}

const maxShownArguments = 1000 // bytes

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
	for i, name := range a.names {
		t := a.planTools[name]
		strange := func(member string) bool { return !plainName.MatchString(member) }
		returns := slices.DeleteFunc(slices.Clone(t.returns), strange)
		tools[i] = knownTool{
			Name: name, Description: t.Description, Language: t.Language, Input: string(t.Input),
			Returns: returns, Kind: t.Kind, Interrupts: t.Interrupts,
		}
	}
	return tools
}

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
