// Package router hands each turn of a conversation to one of several agents. A
// model reads the question and the descriptions of the routes, and chooses a
// route.
//
//	agent, err := router.New(model, []router.Route{
//		{Name: "sql", Description: "figures from the company's database", Agent: sqlAgent},
//		{Name: "manual", Description: "how our products are used", Agent: ragAgent},
//	}, nil)
//	answer, err := qed.Ask(ctx, agent, qed.Turn{Text: "How many ships are late?"})
//
// General questions are answered by the model itself. A router is an agent, so it
// can be a route of another router.
package router

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/internal/recall"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
)

// A Route is an agent to which a router can hand a turn.
type Route struct {
	// Name is the name by which the model chooses the route, such as "sql": at
	// most 64 printable bytes, without a slash. The names of a router differ in
	// more than case.
	Name string

	// Description says what the route's questions are about, such as "figures from
	// the company's database". The model chooses by it. If no route can be chosen,
	// the user sees it too.
	Description string

	Agent qed.Agent
}

// General is the name of the route for general questions, which every router has
// unless [Options.NoGeneral] is set.
const General = "general"

// Options are the limits and texts of a router. Nil and zero fields mean the
// defaults.
type Options struct {
	// Fallback is the route to use if the model's choice cannot be used. Empty
	// means [General] or, with NoGeneral, none: the answer is then partial and
	// lists the topics of the routes.
	Fallback string

	// NoGeneral removes the route for general questions.
	NoGeneral bool

	// User remembers past turns, and the people, jobs, places and dates in them, of a
	// user across conversations. It is used for turns that have a User, in the
	// prompts of the router itself; an agent of a route has an option of its own. A
	// turn is noted once, by the agent of the route or else by the router. Nil means
	// none.
	User *usermemory.Memory

	// Store saves the conversations, as [qed.Durable] does. Nil means that nothing
	// is saved.
	Store store.Store

	// Durable configures how conversations are saved. If its ParseReplies is nil,
	// the router's model reads replies. Without a Store, Durable must be nil.
	Durable *qed.DurableOptions

	// Settings are how the router calls its model.
	llm.Settings

	// Prompts has files that replace those of the same name in the folder prompts,
	// such as route.tmpl. Begin with a copy. Everything that a user, a model
	// wrote must go through the function quote, or the model could take it for
	// instructions. Nil means the agent's own.
	Prompts fs.FS
}

// New returns an agent that hands each turn to one of the routes. The answer is the
// answer of the chosen agent; its Usage includes the cost of the choice.
//
//   - The choice is emitted as [qed.RouteDecision]. Events of the chosen agent have
//     the route's name before their path, such as "sql/execute".
//   - The route [General] answers from the model's knowledge and the conversation
//     only, and streams the text. Numbers that neither the conversation nor the
//     instructions have are the Unproved of the answer, which is then partial. So is the
//     answer to a question about a time: a general answer read no data of that time.
//   - If the model chooses an unknown route twice, refuses, or its reply is not
//     complete, the turn goes to Fallback. If the model cannot be called, the turn
//     ends with the error.
//   - With one route and NoGeneral, no model is called.
//
// The model requests have the names "route" and "general" ([llm.Request.Name]), and
// "read_reply" for a message that arrives while a question is open. The reply to
// "route" is JSON:
//
//	{"route": "sql", "reason": "it asks for a figure"}
func New(model llm.Model, routes []Route, opt *Options) (qed.Agent, error) {
	if model == nil {
		return nil, errors.New("router: New needs a model")
	}
	opt = cmp.Or(opt, &Options{})
	if opt.User != nil && opt.User.Store == nil {
		return nil, errors.New("router: Options.User has no Store")
	}
	r := &router{memory: &qed.Memory{}, user: opt.User}
	if err := r.configure(model, opt); err != nil {
		return nil, err
	}
	if err := r.add(routes, opt); err != nil {
		return nil, err
	}
	if opt.Store == nil {
		if opt.Durable != nil {
			return nil, errors.New("router: Options.Durable needs Options.Store")
		}
		return qed.AgentFunc(r.answer), nil
	}
	durable := opt.Durable.WithReplyModel(model, opt.Settings)
	if durable.Memory != nil {
		r.memory = durable.Memory
	}
	return qed.Durable(qed.AgentFunc(r.answer), opt.Store, durable), nil
}

// router does not change after New.
type router struct {
	model    *modelcall.Model
	prompts  promptset.Set
	routes   []Route            // general last, if it is one
	fallback string             // "": none
	memory   *qed.Memory        // selects the History for the router's own requests
	user     *usermemory.Memory // of users across conversations; nil: none
}

// configure sets how the model is asked.
func (r *router) configure(model llm.Model, opt *Options) (err error) {
	if r.model, err = modelcall.New("router", model, opt.Settings, qed.DurableModel); err != nil {
		return err
	}
	r.model.MaxHistoryMessages = math.MaxInt // the router's Memory limits it
	r.prompts, err = promptset.Load("router: Options.Prompts", promptFiles, opt.Prompts, map[string]any{
		"route": routeData{}, "general": generalData{},
	})
	return err
}

// add adds the routes, and returns all that is wrong with them.
func (r *router) add(routes []Route, opt *Options) error {
	var problems []error
	taken := map[string]bool{General: !opt.NoGeneral}
	for _, route := range routes {
		folded := strings.ToLower(route.Name)
		switch {
		case !isRouteName(route.Name):
			problems = append(problems, fmt.Errorf(
				"router: route %q: a name is 1 to 64 printable bytes, without a slash or spaces around it",
				prompt.Clip(route.Name, 100)))
		case folded == General && !opt.NoGeneral:
			problems = append(problems, fmt.Errorf(
				"router: route %q: the router has its own route with this name; remove that with Options.NoGeneral",
				route.Name))
		case taken[folded]:
			problems = append(problems, fmt.Errorf("router: route %q: another route has this name", route.Name))
		case strings.TrimSpace(route.Description) == "":
			problems = append(problems, fmt.Errorf("router: route %q has no Description", route.Name))
		case route.Agent == nil:
			problems = append(problems, fmt.Errorf("router: route %q has no Agent", route.Name))
		}
		taken[folded] = true
	}
	if len(routes) == 0 {
		problems = append(problems, errors.New("router: New needs routes"))
	}
	r.routes = slices.Clone(routes)
	r.fallback = opt.Fallback
	if !opt.NoGeneral {
		r.fallback = cmp.Or(r.fallback, General)
		r.routes = append(r.routes, Route{
			Name:        General,
			Description: "general knowledge, how something works in general, small talk, and what this program can do; nothing that needs the company's data or documents",
			Agent:       qed.AgentFunc(r.general),
		})
	}
	if r.fallback != "" && !slices.ContainsFunc(r.routes, func(route Route) bool { return route.Name == r.fallback }) {
		problems = append(problems, fmt.Errorf("router: Options.Fallback: there is no route %q", r.fallback))
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	return nil
}

func isRouteName(name string) bool {
	return name != "" && len(name) <= 64 && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(c rune) bool { return c == '/' || !unicode.IsPrint(c) })
}

// answer hands a turn to one of the routes.
func (r *router) answer(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	q := strings.TrimSpace(turn.Text)
	if q == "" {
		return qed.Answer{}, qed.ErrEmptyTurn
	}
	known, err := recall.Recall(ctx, r.user, q, recall.Counts{Similar: 3, Latest: 3})
	if err != nil {
		return qed.Answer{}, err
	}
	ctx = context.WithValue(ctx, knownKey{}, known.Text(nil))
	decision, err := r.decide(ctx, q, turn.History)
	if err != nil {
		return qed.Answer{}, err
	}
	qed.Emit(ctx, decision)
	i := slices.IndexFunc(r.routes, func(route Route) bool { return route.Name == decision.Route })
	if i < 0 {
		return r.topics(ctx), nil
	}
	within, noted := recall.Around(qed.WithPath(ctx, decision.Route))
	a, err := qed.Ask(within, r.routes[i].Agent, turn)
	if err == nil && len(a.Questions) == 0 && !noted() {
		err = recall.NoteAnswer(ctx, r.user, q, &a, nil)
	}
	return a, err
}

// knownKey is the key of what the prompts show of the user's memory.
type knownKey struct{}

func knownText(ctx context.Context) string {
	text, _ := ctx.Value(knownKey{}).(string)
	return text
}

// choice is the model's reply. The schema that is sent also has the names of the
// routes.
type choice struct {
	Route  string `json:"route" jsonschema_description:"the name of the route"`
	Reason string `json:"reason,omitempty" jsonschema_description:"one sentence why"`
}

const (
	maxReason     = 300 // bytes
	maxCandidates = 3
)

// decide lets the model choose a route. If the choice cannot be used, decide
// returns the fallback, which may be empty. It returns an error if the model cannot
// be called.
func (r *router) decide(ctx context.Context, q string, history []llm.Message) (qed.RouteDecision, error) {
	if len(r.routes) == 1 {
		return qed.RouteDecision{Route: r.routes[0].Name, Reason: "it is the only route"}, nil
	}
	data := routeData{Question: q, Routes: routeTexts(r.routes), Known: knownText(ctx)}
	history = r.memory.Select(history)
	reason := ""
	for range 2 {
		req, err := r.model.Request("route", r.prompts["route"], &data, history)
		if err != nil {
			return qed.RouteDecision{}, err
		}
		names := map[string]llm.Choice{"route": {Texts: routeNames(r.routes)}}
		chosen, err := modelcall.Choose[choice](ctx, r.model, req, names)
		if modelcall.Unusable(err) {
			reason = "the model did not choose a route"
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
		reason = "the model chose an unknown route"
	}
	return qed.RouteDecision{Route: r.fallback, Reason: reason, Fallback: true}, nil
}

// find returns the route with a name, ignoring case.
func (r *router) find(name string) (string, bool) {
	name = strings.TrimSpace(name)
	for _, route := range r.routes {
		if strings.EqualFold(route.Name, name) {
			return route.Name, true
		}
	}
	return "", false
}
