// Esguard is the program cmd/qed-esguard, and an example for it. The files in this folder
// are a mapping, a filter and search bodies:
//
//	go run ./examples/esguard -mapping examples/esguard/mapping.json -filter examples/esguard/filter.json -sensitive owner.ssn < examples/esguard/bodies.jsonl
package main

import (
	"context"
	"os"

	"github.com/qedkit/qed/internal/command/searchguard"
)

func main() {
	os.Exit(searchguard.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
