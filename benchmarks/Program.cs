using Jackdaw.Bench.CommandLine;

return await BenchCommand.Create().Parse(args).InvokeAsync();
