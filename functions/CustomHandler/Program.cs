using Jackdaw.Functions.CustomHandler.Hosting;

return await FunctionAppProcess.RunAsync();
