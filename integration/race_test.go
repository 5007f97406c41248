//go:build race

package integration_test

// raceFactor is what the race detector's own memory adds to that of a program.
const raceFactor = 2
