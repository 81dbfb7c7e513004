using System.Reflection;

namespace Jackdaw.Scripting;

/// <summary>JavaScript that is built into an assembly: preludes.</summary>
public static class ScriptResource
{
    /// <summary>The whole text. Throws <see cref="InvalidOperationException"/> when the build left it out.</summary>
    /// <param name="assembly">Where it is.</param>
    /// <param name="name">Its logical name, for example <c>patch.js</c>.</param>
    public static string Read(Assembly assembly, string name)
    {
        ArgumentNullException.ThrowIfNull(assembly);
        using var stream =
            assembly.GetManifestResourceStream(name) ?? throw new InvalidOperationException($"The resource {name} is missing.");
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}
