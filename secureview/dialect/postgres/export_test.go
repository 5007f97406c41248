package postgres

// DropInstances is for tests that read many statements after another test has made
// the grammar's stack grow.
var DropInstances = dropInstances
