// Package runtimetest has the tests of the agent runtime, package qed, as its users
// see it.
package runtimetest
