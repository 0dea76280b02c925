package model

// Shelf is the small schema for tests outside of the package.
var Shelf = shelf
