using Jackdaw.Server.Configuration;
using Jackdaw.Server.Hosting;

return await CommandLine.RunAsync(args);
