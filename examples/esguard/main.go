// Esguard is the program cmd/qed-esguard, and an example for it. The files in this folder
// are a mapping, a filter and search bodies:
//
//	go run ./examples/esguard -mapping examples/esguard/mapping.json -filter examples/esguard/filter.json -sensitive owner.ssn < examples/esguard/bodies.jsonl
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/qedkit/qed/internal/command/searchguard"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := searchguard.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
