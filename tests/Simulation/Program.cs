using Jackdaw.Simulation;

return SimulationCommand.Run(args, Console.Out);
