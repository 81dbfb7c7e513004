using System.Reflection;
using System.Runtime.InteropServices;
using Jackdaw.Scripting.Errors;

namespace Jackdaw.Scripting.Native;

/// <summary>Finds JavaScriptCore and prepares the process for it, once.</summary>
internal static partial class JavaScriptCoreLibrary
{
    /// <summary>The Debian package that has it.</summary>
    public const string Package = "libjavascriptcoregtk-4.1-0";

    private static readonly string[] s_names =
    [
        "libjavascriptcoregtk-4.1.so.0",
        "libjavascriptcoregtk-6.0.so.1",
        "libjavascriptcoregtk-4.0.so.18",
        "/System/Library/Frameworks/JavaScriptCore.framework/JavaScriptCore",
    ];

    /// <summary>
    /// Read by the library when it is loaded, and only from the native environment. Without polling its signal handlers take
    /// SIGSEGV and SIGFPE over
    /// from the .NET runtime, and the process dies of the first DivideByZeroException.
    /// </summary>
    private static readonly (string Name, string Value)[] s_settings =
    [
        ("JSC_usePollingTraps", "1"),
        ("JSC_useWasm", "0"),
        ("JSC_maxPerThreadStackUsage", ScriptLimits.StackBytes.ToString(System.Globalization.CultureInfo.InvariantCulture)),
    ];

    private static readonly Lazy<(nint Handle, string? Failure)> s_library = new(Load);

    /// <summary>Null when the library is there; otherwise a sentence on what was looked for.</summary>
    public static string? Failure => s_library.Value.Failure;

    /// <summary>Throws <see cref="ScriptEngineMissingException"/>.</summary>
    public static void Require()
    {
        if (Failure is { } failure)
            throw new ScriptEngineMissingException(failure);
    }

    private static (nint Handle, string? Failure) Load()
    {
        foreach (var (name, value) in s_settings)
            if (SetEnvironment(name, value, overwrite: 1) != 0)
                return (0, $"The environment variable {name} could not be set (error {Marshal.GetLastPInvokeError()}).");
        // For tests of a machine without it.
        var only = Environment.GetEnvironmentVariable("JACKDAW_JAVASCRIPTCORE");
        foreach (var name in only is null ? s_names : [only])
        {
            if (!NativeLibrary.TryLoad(name, out var handle))
                continue;
            NativeLibrary.SetDllImportResolver(typeof(JavaScriptCoreLibrary).Assembly, Resolve);
            return (handle, null);
        }
        return (
            0,
            "Scripts need JavaScriptCore, which is not installed here: install the "
                + $"package {Package} (apt-get install {Package}) and start the server again."
        );
    }

    private static nint Resolve(string name, Assembly assembly, DllImportSearchPath? path) =>
        name == JavaScriptCore.Library ? s_library.Value.Handle : 0;

    [LibraryImport("libc", EntryPoint = "setenv", StringMarshalling = StringMarshalling.Utf8, SetLastError = true)]
    private static partial int SetEnvironment(string name, string value, int overwrite);
}
