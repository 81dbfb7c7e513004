using Jackdaw.Bench.Actors;

// Arguments: the journal, a folder of its own, and for Jackdaw the server's address and a database. Answers READY, or ABSENT WHY. Then, on
// standard input, one line a run: ROW SECONDS EVENTS. Answers with one line: RESULT EVENTS SECONDS P50_MICROSECONDS, or FAILED WHY.
ActorHost host;
try
{
    host = ActorHost.Start(args);
}
catch (NotSupportedException e)
{
    Console.WriteLine("ABSENT " + e.Message);
    return;
}
Console.WriteLine("READY");
while (await Console.In.ReadLineAsync() is { } line)
    Console.WriteLine(await host.AnswerAsync(line));
await host.DisposeAsync();
