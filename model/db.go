package model

import "pressroom/dynamo"

// DB is where tables live: the embedded engine, Amazon's DynamoDB or a
// compatible service. Those above model name it through here, so that which
// engine it is stays cli's business.
type DB = dynamo.API

// Streams is where the changes of tables are read.
type Streams = dynamo.StreamsAPI
