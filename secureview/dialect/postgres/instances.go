//go:build !pgquery_cgo && !tinygo

package postgres

import (
	"container/list"
	"sync"
	_ "unsafe" // for go:linkname
)

// Package parser has no function that drops an instance, so these are the
// variables with which it keeps those that are idle.
//
//go:linkname abiPool github.com/wasilibs/go-pgquery/parser.abiPool
var abiPool *list.List

//go:linkname abiPoolMu github.com/wasilibs/go-pgquery/parser.abiPoolMu
var abiPoolMu sync.Mutex

// dropInstances drops the idle instances of the grammar, so that the next
// statement makes a new one. The garbage collector frees what they hold.
func dropInstances() {
	abiPoolMu.Lock()
	defer abiPoolMu.Unlock()
	abiPool.Init()
}
