namespace Jackdaw.Simulation;

/// <summary>The engine did something that it must not: what the simulation exists to find.</summary>
public sealed class OracleException(string message, Exception? inner = null) : Exception(message, inner)
{
    public static void Require(bool condition, string message)
    {
        if (!condition)
            throw new OracleException(message);
    }
}
