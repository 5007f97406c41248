package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/schema"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/store"
)

// A Route is an agent that a Router can hand a turn to.
type Route struct {
	// Name is what the model calls it, such as "sql": at most 64 bytes that can be printed, without a slash. Two names of
	// one Router differ in more than their case.
	Name string

	// Description says what its questions are about, for the model that chooses, such as "figures from the company's database". Where
	// nothing can be chosen, the user is told it as well.
	Description string

	Agent qed.Agent
}

// RouteGeneral is the name of the route that a Router has of its own.
const General = "general"

// RouterOptions are limits and texts of a Router. Nil and zero fields mean the defaults.
type Options struct {
	// Fallback is the route that is taken where the model's choice cannot be used. Empty means general; with NoGeneral it means
	// that there is none: then the answer is partial, and says what can be asked.
	Fallback string

	// NoGeneral leaves out the route for general questions, which the model answers itself.
	NoGeneral bool

	// Store keeps the conversations, as [Durable] does. Nil means that nothing is kept.
	Store store.Store

	// Durable says how conversations are kept; its Replies, where nil, are [ParseReplies] with the Router's model. Without a
	// Store it must be nil.
	Durable *qed.DurableOptions

	// Settings are how the Router calls its model.
	llm.Settings

	// Prompts replaces texts sent to the model. Nil means none.
	Prompts *Prompts
}

// NewRouter returns an agent that hands each turn to one of several: a model reads the question, with what was said before, and
// chooses by the routes' descriptions. [RouteDecision] tells the choice. The answer is the chosen agent's own, and its Usage
// has what the choice cost as well. What the chosen agent tells has the route's name in front of its path, such as "sql/execute".
//
// Beside the routes there is one for general questions, which the model answers itself, from nothing but what it knows and the conversation. Its
// words stream as [Token]s.
//
// Where the model chooses a route that there is not, and does so again when it is told, refuses, or breaks off, Fallback is taken. A model that
// cannot be asked at all ends the turn with its error. With one route and NoGeneral there is nothing to choose, and no model is asked.
//
// A Router may be a route of another one. Its requests have the names "route" and "general" ([llm.Request.Name]), and
// "read_reply" where a message comes while a question is open.
func New(model llm.Model, routes []Route, opt *Options) (qed.Agent, error) {
	if model == nil {
		return nil, errors.New("qed: a Router needs a model")
	}
	if opt == nil {
		opt = &Options{}
	}
	r := &router{noGeneral: opt.NoGeneral, memory: &qed.Memory{}}
	if err := r.configure(model, opt); err != nil {
		return nil, err
	}
	if err := r.add(routes, opt); err != nil {
		return nil, err
	}
	if opt.Store == nil {
		if opt.Durable != nil {
			return nil, errors.New("qed: RouterOptions.Durable says how conversations are kept, and there is no RouterOptions.Store")
		}
		return qed.AgentFunc(r.answer), nil
	}
	var durable qed.DurableOptions
	if opt.Durable != nil {
		durable = *opt.Durable
	}
	if durable.Memory != nil {
		r.memory = durable.Memory
	}
	if durable.ParseReplies == nil {
		durable.ParseReplies = qed.ParseReplies(model, opt.Settings)
	}
	return qed.Durable(qed.AgentFunc(r.answer), opt.Store, &durable), nil
}

// router does not change once it is made.
type router struct {
	model     *asking.Model
	prompts   Prompts
	routes    []Route // general last, where it is one
	fallback  string  // "": none
	noGeneral bool
	memory    *qed.Memory     // what of a turn's History the Router's own calls are told
	choices   json.RawMessage // the schema of a choice, with the names of the routes
}

// configure says how the model is asked.
func (r *router) configure(model llm.Model, opt *Options) (err error) {
	if r.model, err = asking.New("router", model, opt.Settings, qed.DurableModel); err != nil {
		return err
	}
	r.model.MaxContextTokens, r.model.MaxHistoryMessages = unlimited, unlimited
	r.prompts, err = opt.Prompts.withDefaults()
	return err
}

// add takes the routes, and reports all that is wrong with them.
func (r *router) add(routes []Route, opt *Options) error {
	var problems []error
	taken := map[string]bool{General: !opt.NoGeneral}
	for _, route := range routes {
		folded := strings.ToLower(route.Name)
		switch {
		case !isRouteName(route.Name):
			problems = append(problems, fmt.Errorf("qed: route %q: a name is 1 to 64 bytes that can be printed, without a slash or spaces around it", prompt.Clip(route.Name, 100)))
		case folded == General && !opt.NoGeneral:
			problems = append(problems, fmt.Errorf("qed: route %q: the Router has one of that name; leave it out with RouterOptions.NoGeneral", route.Name))
		case taken[folded]:
			problems = append(problems, fmt.Errorf("qed: route %q: there is another one of that name", route.Name))
		case strings.TrimSpace(route.Description) == "":
			problems = append(problems, fmt.Errorf("qed: route %q has no Description, by which it would be chosen", route.Name))
		case route.Agent == nil:
			problems = append(problems, fmt.Errorf("qed: route %q has no Agent", route.Name))
		}
		taken[folded] = true
	}
	if len(routes) == 0 {
		problems = append(problems, errors.New("qed: a Router needs routes"))
	}
	r.routes = slices.Clone(routes)
	r.fallback = opt.Fallback
	if !opt.NoGeneral {
		if r.fallback == "" {
			r.fallback = General
		}
		r.routes = append(r.routes, Route{
			Name:        General,
			Description: "general knowledge, how something works in general, small talk, and what this program can do: nothing that needs the company's data or documents",
			Agent:       qed.AgentFunc(r.general),
		})
	}
	if r.fallback != "" && !slices.ContainsFunc(r.routes, func(route Route) bool { return route.Name == r.fallback }) {
		problems = append(problems, fmt.Errorf("qed: RouterOptions.Fallback: there is no route %q", r.fallback))
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	var err error
	r.choices, err = choiceSchema(r.routes)
	return err
}

func isRouteName(name string) bool {
	return name != "" && len(name) <= 64 && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(c rune) bool { return c == '/' || !unicode.IsPrint(c) })
}

// answer hands a turn to one of the routes.
func (r *router) answer(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	question := strings.TrimSpace(turn.Text)
	if question == "" {
		return qed.Answer{}, qed.ErrEmptyTurn
	}
	var usage llm.Usage
	decision, err := r.decide(ctx, question, turn.History, &usage)
	if err != nil {
		return qed.Answer{Usage: usage}, err
	}
	i := slices.IndexFunc(r.routes, func(route Route) bool { return route.Name == decision.Route })
	if i < 0 {
		a := r.topics(ctx, decision.Reason)
		a.Usage.Add(usage)
		return a, nil
	}
	qed.Emit(ctx, decision)
	a, err := qed.Ask(qed.WithPath(ctx, decision.Route), r.routes[i].Agent, turn)
	a.Usage.Add(usage)
	return a, err
}

// choice is what the model replies when it chooses. The schema that it is sent has the names of the routes as well.
type choice struct {
	Route  string `json:"route" jsonschema_description:"the name of the route"`
	Reason string `json:"reason,omitempty" jsonschema_description:"one sentence why"`
}

// choiceSchema is the schema of a choice in which Route is one of the names.
func choiceSchema(routes []Route) (json.RawMessage, error) {
	s, err := schema.For[choice]()
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(s.JSON(), &doc); err != nil {
		return nil, err
	}
	doc["properties"].(map[string]any)["route"].(map[string]any)["enum"] = routeNames(routes)
	return json.Marshal(doc)
}

// narrow is the model, held to the names of the routes.
func (r *router) narrow() llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		own, format := *req, *req.Format
		format.Schema = r.choices
		own.Format = &format
		return r.model.Model.Generate(ctx, &own, stream)
	})
}

// unlimited leaves the length of the conversation to the Router's Memory.
const unlimited = 1 << 40

const (
	maxReason     = 300 // bytes
	maxCandidates = 3
)

// decide has the model choose a route. Its error is that nobody can choose. Where the choice cannot be used it is the fallback, which may
// be no route.
func (r *router) decide(ctx context.Context, question string, history []llm.Message, usage *llm.Usage) (qed.RouteDecision, error) {
	if len(r.routes) == 1 {
		return qed.RouteDecision{Route: r.routes[0].Name, Reason: "it is the only route"}, nil
	}
	ask := *r.model
	ask.Model = r.narrow()
	data := PromptData{Question: question, Routes: routeTexts(r.routes)}
	told := r.told(history)
	reason := ""
	for range 2 {
		req, err := ask.Request("route", r.prompts.Route, data, told)
		if err != nil {
			return qed.RouteDecision{}, err
		}
		chosen, err := asking.Object[choice](ctx, &ask, usage, req)
		if asking.Unusable(err) {
			reason = "the model did not choose"
			break
		}
		if err != nil {
			return qed.RouteDecision{}, err
		}
		if route, ok := r.find(chosen.Route); ok {
			return qed.RouteDecision{Route: route, Reason: prompt.Clip(chosen.Reason, maxReason)}, nil
		}
		data.Unknown = prompt.Clip(chosen.Route, 100)
		data.Candidates = refusal.Nearest(data.Unknown, routeNames(r.routes), maxCandidates)
		reason = "the model chose a route that there is not"
	}
	return qed.RouteDecision{Route: r.fallback, Reason: reason, Fallback: true}, nil
}

// find returns the route that a model means by a name: as it is written, or in another case.
func (r *router) find(name string) (string, bool) {
	name = strings.TrimSpace(name)
	for _, route := range r.routes {
		if strings.EqualFold(route.Name, name) {
			return route.Name, true
		}
	}
	return "", false
}

// told returns what of the conversation the Router's own calls are told.
func (r *router) told(history []llm.Message) []llm.Message { return r.memory.Select(history) }
