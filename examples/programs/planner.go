package main

import (
	"context"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/router"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

type port struct {
	Port string `json:"port"`
}

type count struct {
	Ships int `json:"ships"`
}

type verdict struct {
	Port  string `json:"port"`
	Ships int    `json:"ships"`
}

// Harbour plans with three tools of its own what takes several steps, and answers
// general questions without a plan.
func Harbour(model llm.Model, ships map[string]int, st store.Store) (qed.Agent, error) {
	tools := qed.NewRegistry(nil,
		qed.NewTool("find_port", "Finds a port by its name.", func(_ context.Context, in port) (port, error) {
			if _, ok := ships[in.Port]; !ok {
				return port{}, fmt.Errorf("there is no port %q", in.Port)
			}
			return in, nil
		}),
		qed.NewTool("count_ships", "Counts the ships in a port.", func(_ context.Context, in port) (count, error) {
			return count{ships[in.Port]}, nil
		}),
		qed.NewTool("judge", "Says if a port is full.", func(_ context.Context, in verdict) (finding.Finding, error) {
			return finding.Finding{Text: fmt.Sprintf("%s has %d ships: full is %t.", in.Port, in.Ships, in.Ships > 10)}, nil
		}),
	)
	planner, err := todoagent.New(model, tools, nil)
	if err != nil {
		return nil, err
	}
	routes := []router.Route{{Name: "harbour", Description: "ports and ships", Agent: planner}}
	return router.New(model, routes, &router.Options{Store: st})
}
