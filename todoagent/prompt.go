package todoagent

import (
	"embed"
	"regexp"
	"slices"
	"text/template"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/promptset"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// Prompts are the templates of the texts that are sent to the model. Nil means the
// package's own, which are the files of the folder prompts. Make a template with
// [llm.PromptFuncs]. Everything that a user, a model or a tool wrote must go
// through the function quote, or the model could take it for instructions.
type Prompts struct {
	Classify *template.Template // classify_intent, with [ClassifyData]
	Rewrite  *template.Template // reiterate_intention, with [RewriteData]
	Plan     *template.Template // plan_todos, with [PlanData]
}

// ClassifyData is the data of the prompt that reads a message.
type ClassifyData struct {
	Message string
	Request string      // the request of the open plan; empty: no plan is open
	Plan    []KnownTodo // its tasks
	Known   Known
	Problem string // why the last reply could not be used; empty the first time
}

// KnownTodo is a [qed.Todo] in a prompt.
type KnownTodo struct {
	Key, Description, Tool, Arguments, Problem string
	Status                                     qed.TodoStatus
	Current                                    bool // the next task to run
}

// RewriteData is the data of the prompt that rewrites a request.
type RewriteData struct {
	Message  string
	Language string      // of the answer, such as "de"; empty: that of the request
	Before   string      // the request that it changes or is about; empty: none
	Dates    dates.Facts // today and the calendar
	Known    Known
}

// PlanData is the data of the prompt that makes a plan.
type PlanData struct {
	Question string // the rewritten request
	Request  string // the user's message
	Before   string // the request that it changes or is about; empty: none
	Dates    dates.Facts
	MaxTodos int
	Language string // of the answer, such as "de"; empty: that of the request
	Tools    []KnownTool
	Runs     map[string]bool // the languages of the queries that tools run
	Known    Known
	Problem  string // why the last plan could not be used; empty the first time
	Hint     string // the user's reply to Problem; empty: none
}

// KnownTool is a [qed.Tool] in a prompt. Its texts are the host's own.
type KnownTool struct {
	Name, Description, Language, Input string
	Returns                            []string // the members of its result; nil: not known
	Kind                               qed.ToolKind
	Interrupts                         bool
}

const maxShownArguments = 1000 // bytes

// plainName matches a member's name that a prompt can have unquoted.
var plainName = regexp.MustCompile(`^[\w$.-]{1,100}$`)

// shown returns the tasks for a prompt.
func (l *plan) shown() []KnownTodo {
	tasks := make([]KnownTodo, len(l.Tasks))
	for i, t := range l.Tasks {
		tasks[i] = KnownTodo{
			Key: t.Key, Description: t.Description, Tool: t.Tool,
			Arguments: prompt.Clip(string(t.Arguments), maxShownArguments),
			Problem:   prompt.Clip(t.Problem, maxKnownText),
			Status:    t.Status, Current: t.Key == l.Current,
		}
	}
	return tasks
}

// shownTools returns the tools for a prompt, in the registry's order.
func (a *agent) shownTools() []KnownTool {
	tools := make([]KnownTool, len(a.names))
	for i, name := range a.names {
		t := a.planTools[name]
		strange := func(member string) bool { return !plainName.MatchString(member) }
		returns := slices.DeleteFunc(slices.Clone(t.returns), strange)
		tools[i] = KnownTool{
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

// withDefaults returns the prompts with the package's own for those that are nil. It
// executes the others once to check them.
func (p *Prompts) withDefaults() (Prompts, error) {
	all := Prompts{
		Classify: promptset.Parse(promptFiles, "classify_intent.tmpl"),
		Rewrite:  promptset.Parse(promptFiles, "reiterate_intention.tmpl"),
		Plan:     promptset.Parse(promptFiles, "plan_todos.tmpl"),
	}
	if p == nil {
		return all, nil
	}
	err := promptset.Replace("todoagent: Options.Prompts",
		promptset.Text{Name: "Classify", Host: p.Classify, Own: &all.Classify, Data: ClassifyData{}},
		promptset.Text{Name: "Rewrite", Host: p.Rewrite, Own: &all.Rewrite, Data: RewriteData{}},
		promptset.Text{Name: "Plan", Host: p.Plan, Own: &all.Plan, Data: PlanData{}},
	)
	return all, err
}
