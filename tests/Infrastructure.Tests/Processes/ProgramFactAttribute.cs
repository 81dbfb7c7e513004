namespace Jackdaw.Infrastructure.Processes;

/// <summary>A test that needs an installed program; skipped, by its name, where it is not there.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class ProgramFactAttribute : FactAttribute
{
    public ProgramFactAttribute(string program) => Skip = Command.IsInstalled(program) ? null : $"{program} is not installed here.";
}
