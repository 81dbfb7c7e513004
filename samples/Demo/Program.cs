using Jackdaw.Demo;

return await DemoCommand.RunAsync(args, Console.Out, Console.Error);
