using Jackdaw.FaultyFunctions;
using Jackdaw.Functions.CustomHandler.Hosting;

// The functions of functions/CustomHandler, and one whose projection does what its messages say.
return await FunctionAppProcess.RunAsync(own => own.Add("FaultyFromQueue", queue: "faulty", new FaultyProjection()));
