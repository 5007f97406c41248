package todoagent

import (
	"embed"
	"regexp"
	"slices"
	"text/template"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// TodoPrompts are the texts that a TODO agent sends, as templates; nil stands for the package's own, which are files of the folder prompts.
// Make one with [PromptFuncs]. What a user, a model or a tool wrote must go through the function quote, or it could pass for part of the text.
type Prompts struct {
	Classify  *template.Template // reading what a message means: [ClassifyData]
	Reiterate *template.Template // rewriting a request: [ReiterateData]
	Plan      *template.Template // making a plan: [PlanData]
}

// ClassifyData is what the prompt for reading a message is given.
type ClassifyData struct {
	Message string
	Request string      // what the open plan is for; empty: no plan is open
	Plan    []KnownTodo // its tasks
	Known   Known
	Problem string // why the last reply could not be used; empty the first time
}

// KnownTodo is a [Todo] in a prompt.
type KnownTodo struct {
	Key, Description, Tool, Arguments, Problem string
	Status                                     qed.TodoStatus
	Current                                    bool // it is the one to run next
}

// ReiterateData is what the prompt for rewriting a request is given.
type ReiterateData struct {
	Message string
	Before  string // the request that it changes or is about; empty: none
	Now     string
	Zone    string
	Periods []Period
	Known   Known
}

// PlanData is what the prompt for a plan is given.
type PlanData struct {
	Question string // the rewritten request
	Request  string // as the user said it
	Before   string // the request that it changes or is about; empty: none
	Zone     string
	MaxTodos int
	Tools    []KnownTool
	Runs     map[string]bool // the languages of which a tool runs queries
	Known    Known
	Problem  string // why the last plan could not be used; empty the first time
	Hint     string // what the user said to that; empty: nothing
}

// KnownTool is a [Tool] in a prompt. It is the host's own.
type KnownTool struct {
	Name, Description, Language, Input string
	Returns                            []string // the members of its result; nil: not known
	Kind                               qed.ToolKind
	Asks                               bool
}

const maxShownArguments = 1000 // bytes

// plainName matches a member's name that can stand in a prompt unquoted. Others come from tools of elsewhere.
var plainName = regexp.MustCompile(`^[\w$.-]{1,100}$`)

// shown returns the tasks for a prompt.
func (l *plan) shown() []KnownTodo {
	tasks := make([]KnownTodo, len(l.Tasks))
	for i, t := range l.Tasks {
		tasks[i] = KnownTodo{
			t.Key, t.Description, t.Tool, prompt.Clip(string(t.Arguments), maxShownArguments), prompt.Clip(t.Problem, maxKnownText), t.Status, t.Key == l.Current,
		}
	}
	return tasks
}

// shownTools returns the tools for a prompt, by their names.
func (a *agent) shownTools() []KnownTool {
	tools := make([]KnownTool, len(a.names))
	for i, name := range a.names {
		t := a.plans[name]
		returns := slices.DeleteFunc(slices.Clone(t.returns), func(member string) bool { return !plainName.MatchString(member) })
		tools[i] = KnownTool{name, t.Description, t.Language, string(t.Input), returns, t.Kind, t.Interrupts}
	}
	return tools
}

// languages returns those that tools run queries of.
func (a *agent) languages() map[string]bool {
	runs := map[string]bool{}
	for _, t := range a.plans {
		if t.Language != "" {
			runs[t.Language] = true
		}
	}
	return runs
}

// withDefaults fills in the package's own texts, and tries out those of the host.
func (p *Prompts) withDefaults() (Prompts, error) {
	all := Prompts{prompt.Parse(promptFiles, "classify_intent.tmpl"), prompt.Parse(promptFiles, "reiterate_intention.tmpl"), prompt.Parse(promptFiles, "plan_todos.tmpl")}
	if p == nil {
		return all, nil
	}
	err := prompt.Replace("qed: TodoOptions.Prompts",
		prompt.Text{Name: "Classify", Host: p.Classify, Own: &all.Classify, Data: ClassifyData{}},
		prompt.Text{Name: "Reiterate", Host: p.Reiterate, Own: &all.Reiterate, Data: ReiterateData{}},
		prompt.Text{Name: "Plan", Host: p.Plan, Own: &all.Plan, Data: PlanData{}},
	)
	return all, err
}
